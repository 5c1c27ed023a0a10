/** Which LBNodeAgent configures this node. */

import type { LocalConfig } from '../../model/agent-config.ts';
import type { Labels } from '../../model/identity.ts';
import { keyOf } from '../../model/identity.ts';
import { matchesLabels } from '../../model/label-selector.ts';
import { isProblem, must } from '../../model/parsed.ts';
import type { AgentOffer } from '../../model/read-agent-offer.ts';
import { readNodeAgent } from '../../model/read-node-agent.ts';
import type { EventReason } from '../../model/reasons.ts';

export const selectorStates = [
  'default',
  'configured',
  'unconfigured',
  'deselected',
  'invalid',
] as const;
export type SelectorState = (typeof selectorStates)[number];

export interface ConfigChoice {
  /**
   * As the metric `selector_state` has it. Without any LBNodeAgent the defaults hold (`default`). A node that
   * LBNodeAgents select, none of which has settings, is `unconfigured`, one that none selects `deselected`.
   */
  readonly state: SelectorState;
  /**
   * Undefined: the node announces nothing, and its Lease must advertise nothing, or it would be elected for addresses
   * that it does not put anywhere.
   */
  readonly config: LocalConfig | undefined;
  /** `namespace/name` of the one in force. */
  readonly source: string | undefined;
  readonly notices: readonly ConfigNotice[];
}

export interface ConfigNotice {
  readonly about: Pick<AgentOffer, 'namespace' | 'name' | 'uid'>;
  readonly reason: EventReason &
    ('InvalidNodeSelector' | 'ConfigIgnored' | 'ConfigError' | 'GuardFailed');
  readonly message: string;
}

export function chooseAgentConfig(
  node: { readonly name: string; readonly labels: Labels },
  offers: readonly AgentOffer[],
): ConfigChoice {
  const matching = offers.filter(({ selector }) => {
    return !isProblem(selector) && matchesLabels(selector.value, node.labels);
  });
  const ordered = matching.sort(compareOffers);
  const chosen = ordered.find(hasLocal);
  const notices = [
    ...offers.flatMap(noticeInvalidSelector),
    ...noticeIgnored(ordered, chosen, node.name),
  ];
  if (chosen === undefined) {
    return { ...withoutChoice(offers, ordered), source: undefined, notices };
  }
  const source = keyOf(chosen);
  if (!isProblem(chosen.local)) {
    return { state: 'configured', config: chosen.local.value, source, notices };
  }
  const error = noticeError(chosen, node.name);
  return { state: 'invalid', config: undefined, source, notices: [...notices, error] };
}

/**
 * Where nobody wrote an LBNodeAgent, PureLB works as its documentation says. Where somebody did, it is meant: a node
 * that none selects, or that is selected without settings, is left alone.
 */
function withoutChoice(
  offers: readonly AgentOffer[],
  ordered: readonly AgentOffer[],
): Pick<ConfigChoice, 'state' | 'config'> {
  if (offers.length === 0) return { state: 'default', config: usualConfig };
  return { state: ordered.length === 0 ? 'deselected' : 'unconfigured', config: undefined };
}

/** As an LBNodeAgent with an empty `local` has it. */
const usualConfig = must(
  readNodeAgent({ metadata: { namespace: 'none', name: 'none' }, spec: { local: {} } }),
).local;

/** One that cannot be read is not passed over: it would let another one take its place unseen. */
function hasLocal({ local }: AgentOffer): boolean {
  return isProblem(local) || local.value !== undefined;
}

/** Those that select by something before those that select everything, then by namespace and name. */
function compareOffers(left: AgentOffer, right: AgentOffer): number {
  const sign = (offer: AgentOffer) => (isCatchAll(offer) ? 1 : 0);
  return (
    sign(left) - sign(right) ||
    compareText(left.namespace, right.namespace) ||
    compareText(left.name, right.name)
  );
}

function isCatchAll({ selector }: AgentOffer): boolean {
  return !isProblem(selector) && selector.value.length === 0;
}

function noticeInvalidSelector(offer: AgentOffer): readonly ConfigNotice[] {
  if (!isProblem(offer.selector)) return [];
  const error = offer.selector.problems
    .map(({ path, message }) => `${path}: ${message}`)
    .join('; ');
  const message = `nodeSelector could not be evaluated (${error}); this LBNodeAgent applies to no node`;
  return [{ about: identify(offer), reason: 'InvalidNodeSelector', message }];
}

function noticeIgnored(
  ordered: readonly AgentOffer[],
  chosen: AgentOffer | undefined,
  node: string,
): readonly ConfigNotice[] {
  if (chosen === undefined) return [];
  const message = `LBNodeAgent ${keyOf(chosen)} takes precedence on node ${node}`;
  return ordered
    .filter((offer) => offer !== chosen)
    .map((offer) => ({ about: identify(offer), reason: 'ConfigIgnored', message }));
}

function noticeError(offer: AgentOffer, node: string): ConfigNotice {
  const [first] = isProblem(offer.local) ? offer.local.problems : [];
  const what = first === undefined ? '' : ` (${first.path}: ${first.message})`;
  const message = `invalid configuration: node ${node} is announcing nothing until this is fixed${what}`;
  return { about: identify(offer), reason: 'ConfigError', message };
}

function identify({ namespace, name, uid }: AgentOffer): ConfigNotice['about'] {
  return { namespace, name, uid };
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
