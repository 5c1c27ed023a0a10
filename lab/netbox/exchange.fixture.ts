/** Exchanges with real servers, and how an answer is compared with one. */

import { readFileSync } from 'node:fs';
import { adminToken } from './netbox.ts';
import { isFields, type Json, type NetboxAnswer, type NetboxRequest } from './netbox-request.ts';

export interface Exchange {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: unknown;
    /** What is no JSON. */
    readonly raw?: string;
  };
  readonly response: {
    readonly status: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body: unknown;
  };
}

export function readExchanges(file: string): readonly Exchange[] {
  const path = new URL(`exchanges/${file}.json`, import.meta.url);
  const read = JSON.parse(readFileSync(path, 'utf8')) as
    | readonly Exchange[]
    | { readonly exchanges_that_differ: readonly Exchange[] };
  return 'exchanges_that_differ' in read ? read.exchanges_that_differ : read;
}

/** Of exchanges that were recorded without. */
const usual: Readonly<Record<string, string>> = {
  Accept: 'application/json',
  Authorization: `Token ${adminToken}`,
  'Content-Type': 'application/json',
};

/** `etags`: what stands here for those of the real server. */
export function requestOf(
  { request }: Exchange,
  etags: ReadonlyMap<string, string>,
): NetboxRequest {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers ?? usual)) {
    headers[name.toLowerCase()] = name === 'If-Match' ? (etags.get(value) ?? value) : value;
  }
  const { method, path: url, body, raw } = request;
  return { method, url, headers, body: raw ?? (body === undefined ? '' : JSON.stringify(body)) };
}

/** Times and random identifiers differ wherever the exchange takes place. */
const alwaysIgnored = ['created', 'last_updated', 'time', 'request_id'];

/** Every difference, one line each. Of bodies only what was kept of the real one is compared. */
export function findDifferences(
  { response }: Exchange,
  answer: NetboxAnswer,
  ignored: readonly string[] = [],
): readonly string[] {
  const lines: string[] = [];
  if (answer.status !== response.status) {
    lines.push(`status ${answer.status}, not ${response.status}: ${answer.body.slice(0, 200)}`);
  }
  lines.push(...compareHeaders(response.headers ?? {}, answer.headers, ignored));
  const without = [...alwaysIgnored, ...ignored];
  return [...lines, ...compare(response.body, bodyOf(answer), 'body', without)];
}

function compareHeaders(
  wanted: Readonly<Record<string, string>>,
  found: Readonly<Record<string, string>>,
  ignored: readonly string[],
): readonly string[] {
  const lines: string[] = [];
  for (const [name, value] of Object.entries(wanted)) {
    const own = found[name.toLowerCase()];
    if (ignored.includes(name)) continue;
    const isSame = name === 'ETag' ? own !== undefined : own === value;
    if (!isSame) lines.push(`${name}: ${own ?? 'absent'}, not ${value}`);
  }
  if (wanted['ETag'] === undefined && found['etag'] !== undefined) lines.push('ETag: present');
  return lines;
}

function bodyOf({ headers, body }: NetboxAnswer): unknown {
  const type = headers['content-type'] ?? '';
  if (body === '') return '';
  if (type.startsWith('application/json')) return JSON.parse(body) as unknown;
  return `<HTML page: ${/<title>(.*?)<\/title>/.exec(body)?.[1] ?? ''}>`;
}

function compare(
  wanted: unknown,
  found: unknown,
  path: string,
  ignored: readonly string[],
): readonly string[] {
  if (Array.isArray(wanted)) return compareLists(wanted, found, path, ignored);
  if (isFields(wanted)) return compareFields(wanted, found, path, ignored);
  if (typeof wanted === 'string' && wanted.startsWith('<HTML page')) {
    return String(found).startsWith(wanted.slice(0, -1)) ? [] : [`${path}: ${String(found)}`];
  }
  return wanted === found
    ? []
    : [`${path}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`];
}

function compareLists(
  wanted: readonly unknown[],
  found: unknown,
  path: string,
  ignored: readonly string[],
): readonly string[] {
  if (!Array.isArray(found)) return [`${path}: no list`];
  if (found.length !== wanted.length)
    return [`${path}: ${found.length} items, not ${wanted.length}`];
  return wanted.flatMap((item, index) => compare(item, found[index], `${path}[${index}]`, ignored));
}

function compareFields(
  wanted: Json,
  found: unknown,
  path: string,
  ignored: readonly string[],
): readonly string[] {
  if (!isFields(found)) return [`${path}: ${JSON.stringify(found)}`];
  return Object.entries(wanted)
    .filter(([name]) => !ignored.includes(name))
    .flatMap(([name, value]) => compare(value, found[name], `${path}.${name}`, ignored));
}
