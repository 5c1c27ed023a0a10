/** `LBNodeAgent.status`: how many nodes use it, and whether it is in force. Written by one node for each, on change. */

import type { ClusterNode } from '../../model/cluster-node.ts';
import { fitMessage } from '../../model/fit-bytes.ts';
import { keyOf } from '../../model/identity.ts';
import { isProblem, type Problem } from '../../model/parsed.ts';
import type { AgentOffer } from '../../model/read-agent-offer.ts';
import type { OfferReason } from '../../model/reasons.ts';
import { formatTimestamp } from '../../model/timestamp.ts';
import { type ConfigChoice, chooseAgentConfig } from './choose-agent-config.ts';
import type { Electorate } from './electorate.ts';
import { rankNodes } from './rank-nodes.ts';
import { findRunning } from './who-speaks.ts';

export interface OfferFacts {
  readonly node: string;
  readonly electorate: Electorate;
  readonly nodes: readonly ClusterNode[];
  readonly offers: readonly AgentOffer[];
  readonly wallNow: number;
}

/** For a merge patch of `lbnodeagents/status`: all conditions of it are ours. */
export interface OfferPatch {
  readonly namespace: string;
  readonly name: string;
  readonly body: {
    readonly metadata: { readonly uid: string; readonly resourceVersion: string };
    readonly status: {
      readonly activeLeases: number;
      readonly observedGeneration: number;
      readonly conditions: readonly object[];
    };
  };
}

export function planOfferStatus(facts: OfferFacts): readonly OfferPatch[] {
  const { offers, electorate, node } = facts;
  if (offers.length === 0) return [];
  const running = findRunning(electorate);
  const choices = facts.nodes
    .filter(({ name }) => running.has(name))
    .map((each) => ({ node: each.name, ...chooseAgentConfig(each, offers) }));
  const isUnconfigured = ({ state }: ConfigChoice) =>
    state === 'unconfigured' || state === 'deselected';
  const silent = choices.filter(isUnconfigured).map((choice) => choice.node);
  return offers.flatMap((offer) => {
    const key = keyOf(offer);
    const activeLeases = choices.filter(({ source }) => source === key).length;
    const ready = addSilent(judge(offer, activeLeases), silent);
    if (isSaid(offer, activeLeases, ready)) return [];
    return rankNodes(key, [...running])[0] === node
      ? [compose(offer, activeLeases, ready, facts)]
      : [];
  });
}

interface Ready {
  readonly status: 'True' | 'False';
  readonly reason: OfferReason;
  readonly message: string;
}

function judge({ selector, local }: AgentOffer, activeLeases: number): Ready {
  const not = (reason: OfferReason, message: string): Ready => ({
    status: 'False',
    reason,
    message,
  });
  if (isProblem(selector)) return not('InvalidNodeSelector', describe(selector.problems));
  if (isProblem(local)) return not('ConfigError', describe(local.problems));
  if (local.value === undefined) {
    return not('NoSettings', 'it has no spec.local and configures no node');
  }
  if (activeLeases > 0) return { status: 'True', reason: 'InForce', message: 'nodes use it' };
  return not('NotInForce', 'it selects no node with an agent, or others take precedence there');
}

/** A node that nothing configures has no other place where people would look. */
function addSilent(ready: Ready, silent: readonly string[]): Ready {
  if (silent.length === 0) return ready;
  const shown = silent.toSorted().slice(0, mostNames);
  const more = silent.length > shown.length ? ` and ${silent.length - shown.length} more` : '';
  const [verb, who] = silent.length === 1 ? ['announces', 'it'] : ['announce', 'they'];
  const words = `no LBNodeAgent configures ${shown.join(', ')}${more}: ${who} ${verb} nothing`;
  return { ...ready, message: `${ready.message}; ${words}` };
}

const mostNames = 5;

function describe(problems: readonly Problem[]): string {
  return fitMessage(problems.map(({ path, message }) => `${path}: ${message}`).join('; '));
}

function isSaid({ status, generation }: AgentOffer, activeLeases: number, ready: Ready): boolean {
  const present = findReady(status);
  return (
    status.activeLeases === activeLeases &&
    status.observedGeneration === generation &&
    present?.status === ready.status &&
    present.reason === ready.reason &&
    present.message === ready.message
  );
}

function findReady({ conditions }: AgentOffer['status']) {
  return conditions.find(({ type }) => type === 'Ready');
}

function compose(
  offer: AgentOffer,
  activeLeases: number,
  ready: Ready,
  { wallNow }: OfferFacts,
): OfferPatch {
  const { namespace, name, uid, resourceVersion, generation, status } = offer;
  const present = findReady(status);
  const changedAt = present?.status === ready.status ? present.changedAt : wallNow;
  const lastTransitionTime = formatTimestamp(changedAt);
  const condition = { type: 'Ready', ...ready, observedGeneration: generation, lastTransitionTime };
  return {
    namespace,
    name,
    body: {
      metadata: { uid, resourceVersion },
      status: { activeLeases, observedGeneration: generation, conditions: [condition] },
    },
  };
}
