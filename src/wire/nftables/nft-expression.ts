/**
 * The steps of a rule: they load something of a packet into a register, compare it or look it up, and end the rule
 * where it does not match. The last one says what becomes of the packet (linux/netfilter/nf_tables.h).
 */

import type { ByteWriter } from '../byte-writer.ts';
import { putAttribute, putNested, putString } from '../netlink-attributes.ts';
import { NftAttributes, putNumber } from './nft-attributes.ts';
import { putVerdict, readVerdict, type Verdict } from './nft-verdict.ts';

const NFTA_EXPR_NAME = 1;
const NFTA_EXPR_DATA = 2;
const NFTA_DATA_VALUE = 1;

export type NftExpression =
  | { readonly kind: 'meta' | 'ct'; readonly key: number; readonly register: number }
  | {
      readonly kind: 'payload';
      readonly register: number;
      readonly base: number;
      readonly offset: number;
      readonly length: number;
    }
  | {
      readonly kind: 'cmp';
      readonly register: number;
      readonly operator: number;
      readonly value: Uint8Array;
    }
  | {
      readonly kind: 'bitwise';
      readonly source: number;
      readonly register: number;
      readonly length: number;
      readonly mask: Uint8Array;
      readonly xor: Uint8Array;
    }
  | { readonly kind: 'lookup'; readonly register: number; readonly set: string }
  /** Without what it has counted. */
  | { readonly kind: 'counter' }
  | { readonly kind: 'immediate'; readonly verdict: Verdict }
  /** One that nobody here understands, as it came. */
  | { readonly kind: 'other'; readonly name: string; readonly data: Uint8Array };

export function putExpression(writer: ByteWriter, expression: NftExpression): void {
  const { kind } = expression;
  putString(writer, NFTA_EXPR_NAME, kind === 'other' ? expression.name : kind);
  if (kind === 'other') putAttribute(writer, NFTA_EXPR_DATA, expression.data);
  else putNested(writer, NFTA_EXPR_DATA, () => putData(writer, expression));
}

type Understood = Exclude<NftExpression, { readonly kind: 'other' }>;

function putData(writer: ByteWriter, expression: Understood): void {
  switch (expression.kind) {
    case 'meta':
    case 'ct':
      putNumbers(writer, [2, expression.key], [1, expression.register]);
      return;
    case 'payload': {
      const { register, base, offset, length } = expression;
      putNumbers(writer, [1, register], [2, base], [3, offset], [4, length]);
      return;
    }
    case 'cmp':
      putNumbers(writer, [1, expression.register], [2, expression.operator]);
      putValue(writer, 3, expression.value);
      return;
    case 'bitwise':
      putNumbers(writer, [1, expression.source], [2, expression.register], [3, expression.length]);
      putValue(writer, 4, expression.mask);
      putValue(writer, 5, expression.xor);
      return;
    case 'lookup':
      putNumber(writer, 2, expression.register);
      putString(writer, 1, expression.set);
      return;
    case 'counter':
      return;
    case 'immediate':
      putVerdict(writer, expression.verdict);
      return;
    default:
      expression satisfies never;
  }
}

function putNumbers(
  writer: ByteWriter,
  ...numbers: readonly (readonly [type: number, value: number])[]
): void {
  for (const [type, value] of numbers) putNumber(writer, type, value);
}

function putValue(writer: ByteWriter, type: number, value: Uint8Array): void {
  putNested(writer, type, () => putAttribute(writer, NFTA_DATA_VALUE, value));
}

interface Reading {
  /** Attributes by type: with any other, or without one of `needs`, it is not the expression that we know. */
  readonly needs: readonly number[];
  readonly may?: readonly number[];
  readonly read: (data: NftAttributes) => NftExpression | undefined;
}

const readings = new Map<string, Reading>([
  ['meta', { needs: [1, 2], read: (data) => ({ kind: 'meta', ...readLoad(data) }) }],
  ['ct', { needs: [1, 2], read: (data) => ({ kind: 'ct', ...readLoad(data) }) }],
  ['payload', { needs: [1, 2, 3, 4], read: readPayload }],
  ['cmp', { needs: [1, 2, 3], read: readCmp }],
  ['bitwise', { needs: [1, 2, 3, 4, 5], may: [6], read: readBitwise }],
  ['lookup', { needs: [1, 2], may: [4, 5], read: readLookup }],
  ['counter', { needs: [], may: [1, 2, 3], read: () => ({ kind: 'counter' }) }],
  ['immediate', { needs: [1, 2], read: readImmediate }],
]);

/** `body` is what is nested in an expression list's element. */
export function decodeExpression(body: Uint8Array): NftExpression {
  const attributes = new NftAttributes(body, 0, 'nf_tables expression');
  const name = attributes.text(NFTA_EXPR_NAME);
  const isBare = !attributes.has(NFTA_EXPR_DATA);
  const bytes = isBare ? new Uint8Array() : attributes.bytes(NFTA_EXPR_DATA);
  const data = new NftAttributes(bytes, 0, `nf_tables expression ${name}`);
  const reading = readings.get(name);
  const understood = reading !== undefined && fits(reading, data) ? reading.read(data) : undefined;
  return understood ?? { kind: 'other', name, data: bytes.slice() };
}

function fits({ needs, may = [] }: Reading, data: NftAttributes): boolean {
  const types = data.types;
  const areKnown = types.every((type) => needs.includes(type) || may.includes(type));
  return areKnown && needs.every((type) => data.has(type));
}

function readLoad(data: NftAttributes): { key: number; register: number } {
  return { key: data.number(2), register: data.number(1) };
}

function readPayload(data: NftAttributes): NftExpression {
  return {
    kind: 'payload',
    register: data.number(1),
    base: data.number(2),
    offset: data.number(3),
    length: data.number(4),
  };
}

function readCmp(data: NftAttributes): NftExpression {
  return {
    kind: 'cmp',
    register: data.number(1),
    operator: data.number(2),
    value: readValue(data, 3),
  };
}

/** Attribute 6 tells shifts, and more, from masks, which are 0. */
function readBitwise(data: NftAttributes): NftExpression | undefined {
  if (data.has(6) && data.number(6) !== 0) return undefined;
  return {
    kind: 'bitwise',
    source: data.number(1),
    register: data.number(2),
    length: data.number(3),
    mask: readValue(data, 4),
    xor: readValue(data, 5),
  };
}

/** Attribute 5 is not 0 where what is not in the set matches; 4 is the set once more, within its transaction. */
function readLookup(data: NftAttributes): NftExpression | undefined {
  if (data.has(5) && data.number(5) !== 0) return undefined;
  return { kind: 'lookup', register: data.number(2), set: data.text(1) };
}

function readImmediate(data: NftAttributes): NftExpression | undefined {
  const verdict = readVerdict(data);
  return verdict === undefined ? undefined : { kind: 'immediate', verdict };
}

function readValue(data: NftAttributes, type: number): Uint8Array {
  return data.nested(type).bytes(NFTA_DATA_VALUE).slice();
}
