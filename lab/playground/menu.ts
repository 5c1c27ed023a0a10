/** Keys → what people want to try. A key may ask a question first; pure, so that it can be tried without a cluster. */

import type { KeyHint } from './screen.ts';

export type ServiceForm = 'local' | 'remote' | 'dual stack' | 'shared';

export type Action =
  | { readonly kind: 'new Service'; readonly form: ServiceForm }
  | { readonly kind: 'delete Service' }
  | { readonly kind: NodeAction; readonly node: string }
  | { readonly kind: 'restart agents' | 'API' | 'picture' | 'quit' };

export type NodeAction =
  | 'power off'
  | 'cut'
  | 'freeze agent'
  | 'kill agent'
  | 'drain'
  | 'bring back'
  | 'shell';

export interface MenuState {
  /** What the next key answers. */
  readonly asked: 'form' | NodeAction | undefined;
}

export interface MenuStep {
  readonly state: MenuState;
  readonly action?: Action;
}

export const menuStart: MenuState = { asked: undefined };

const forms: Readonly<Record<string, ServiceForm>> = {
  l: 'local',
  r: 'remote',
  d: 'dual stack',
  s: 'shared',
};

const nodeKeys: Readonly<Record<string, NodeAction>> = {
  k: 'power off',
  c: 'cut',
  f: 'freeze agent',
  g: 'kill agent',
  d: 'drain',
  b: 'bring back',
  s: 'shell',
};

const plainKeys: Readonly<Record<string, Action>> = {
  x: { kind: 'delete Service' },
  r: { kind: 'restart agents' },
  a: { kind: 'API' },
  p: { kind: 'picture' },
  q: { kind: 'quit' },
  '\x03': { kind: 'quit' },
};

export const keyHints: readonly KeyHint[] = [
  { key: 'n', what: 'new Service' },
  { key: 'x', what: 'delete one' },
  { key: 'k', what: 'kill a node' },
  { key: 'c', what: 'cut a cable' },
  { key: 'f', what: 'freeze an agent' },
  { key: 'g', what: 'kill an agent' },
  { key: 'r', what: 'restart all agents' },
  { key: 'a', what: 'API away/back' },
  { key: 'd', what: 'drain' },
  { key: 'b', what: 'bring back' },
  { key: 's', what: 'shell' },
  { key: 'p', what: 'picture' },
  { key: 'q', what: 'quit' },
];

const questions: Readonly<Record<NodeAction, string>> = {
  'power off': 'Switch off which node?',
  cut: 'Pull the cable of which node?',
  'freeze agent': 'Freeze the agent of which node?',
  'kill agent': 'Kill the agent of which node?',
  drain: 'Drain which node?',
  'bring back': 'Bring back which node, with cable, agent and all?',
  shell: 'A shell on which node? (exit leads back here)',
};

export function questionOf({ asked }: MenuState, nodes: number): string | undefined {
  if (asked === undefined) return undefined;
  if (asked === 'form') {
    return 'Which kind?  l local  r remote (routed)  d dual stack  s shared with the last one';
  }
  return `${questions[asked]}  1-${nodes}  (Esc: none)`;
}

export function pressKey({ asked }: MenuState, key: string, nodes: number): MenuStep {
  if (asked === undefined) return pressFirst(key);
  const quit = key === '\x03' ? { action: { kind: 'quit' } as const } : {};
  if (asked === 'form') {
    const form = forms[key];
    return { state: menuStart, ...quit, ...(form && { action: { kind: 'new Service', form } }) };
  }
  const number = /^[1-9]$/.test(key) ? Number(key) : 0;
  const isNode = number >= 1 && number <= nodes;
  const action = isNode ? { action: { kind: asked, node: `node${number}` } as const } : {};
  return { state: menuStart, ...quit, ...action };
}

function pressFirst(key: string): MenuStep {
  if (key === 'n') return { state: { asked: 'form' } };
  const asked = nodeKeys[key];
  if (asked !== undefined) return { state: { asked } };
  const action = plainKeys[key];
  return { state: menuStart, ...(action && { action }) };
}
