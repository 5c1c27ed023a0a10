/** A file of steps → steps, or what is wrong with it and where. */

import { parse } from 'yaml';
import { nearest } from '../../src/model/nearest.ts';
import type { Action, NodeAction, ServiceForm } from './menu.ts';

export interface ScenarioStep {
  readonly says: string;
  readonly does: readonly Doing[];
  readonly expects: Expectation | undefined;
  /** Left out where that is missing. */
  readonly needs: 'router' | undefined;
}

export type Doing =
  | { readonly kind: 'wait'; readonly ms: number }
  | Exclude<Action, { readonly kind: 'picture' | 'quit' }>;

export const expectations = [
  'ready',
  'answered',
  'on every node',
  'spread',
  'only its share',
  'shared',
  'no packet lost',
  'taken over',
  'silent',
] as const;
export type Expectation = (typeof expectations)[number];

const forms: readonly ServiceForm[] = ['local', 'remote', 'dual stack', 'shared'];
const toNodes: readonly NodeAction[] = [
  'power off',
  'cut',
  'freeze agent',
  'kill agent',
  'drain',
  'bring back',
];
const plain = ['delete Service', 'restart agents', 'API'] as const;

/** What a node is called: `holder` has the local address, `last` is the one that something was done to last. */
export type NodeName = string;

export class ScenarioError extends Error {
  override readonly name = 'ScenarioError';
}

export function readScenario(text: string): readonly ScenarioStep[] {
  const steps: unknown = readYaml(text);
  if (!Array.isArray(steps)) throw new ScenarioError('a scenario is a list of steps');
  return steps.map((step, index) => readStep(step, `step ${index + 1}`));
}

function readYaml(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    throw new ScenarioError(error instanceof Error ? error.message : String(error));
  }
}

function readStep(step: unknown, where: string): ScenarioStep {
  if (typeof step !== 'object' || step === null) {
    throw new ScenarioError(`${where}: write it as \`says: …\`, with \`do\` and \`expect\``);
  }
  const { says, do: does = [], expect, needs, ...others } = step as Record<string, unknown>;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new ScenarioError(
      `${where}: there is no \`${unknown}\`: write says, do, expect or needs`,
    );
  }
  if (typeof says !== 'string') throw new ScenarioError(`${where}: \`says\` is missing`);
  if (needs !== undefined && needs !== 'router') {
    throw new ScenarioError(`${where}: \`needs\` can only be "router"`);
  }
  const list = Array.isArray(does) ? does : [does];
  return {
    says,
    does: list.map((text) => readDoing(String(text), where)),
    expects: expect === undefined ? undefined : readExpectation(String(expect), where),
    needs,
  };
}

function readExpectation(text: string, where: string): Expectation {
  const found = expectations.find((each) => each === text);
  if (found !== undefined) return found;
  throw new ScenarioError(`${where}: ${advise(text, expectations, 'expect')}`);
}

function readDoing(text: string, where: string): Doing {
  const [, amount, unit] = /^wait (\d+)(ms|s)$/.exec(text) ?? [];
  if (amount !== undefined) return { kind: 'wait', ms: Number(amount) * (unit === 's' ? 1000 : 1) };
  const form = forms.find((each) => text === `new Service ${each}`);
  if (form !== undefined) return { kind: 'new Service', form };
  const kind = plain.find((each) => each === text);
  if (kind !== undefined) return { kind };
  const toNode = toNodes.find((each) => text.startsWith(`${each} `));
  const node = toNode === undefined ? '' : text.slice(toNode.length + 1);
  if (toNode !== undefined && /^(node\d+|holder|last)$/.test(node)) return { kind: toNode, node };
  throw new ScenarioError(`${where}: ${advise(text, words, 'do')}`);
}

const words = [
  ...forms.map((form) => `new Service ${form}`),
  ...toNodes.map((each) => `${each} holder`),
  ...plain,
  'wait 2s',
];

function advise(text: string, known: readonly string[], what: string): string {
  const meant = nearest(text, known);
  const hint =
    meant === undefined ? `write one of: ${known.join(', ')}` : `did you mean "${meant}"?`;
  return `nobody knows how to ${what} "${text}": ${hint}`;
}
