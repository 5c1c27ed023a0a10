/** After a pass over some Services: neighbours, members, the cluster and people are told what it changed. */

import type { AddressDecision } from '../decide/announcement/address-decision.ts';
import type { NodeSnapshot } from '../decide/announcement/node-snapshot.ts';
import type { Placing } from '../decide/announcement/place-addresses.ts';
import { findAffirmable, findDeniable } from '../decide/failover/deny-holding.ts';
import type { Ip } from '../model/ip.ts';
import type { AgentParts, AgentSetup } from './agent-parts.ts';
import type { KeptPass } from './kept-pass.ts';
import type { Scope } from './service-index.ts';
import { findAskers, surveyed } from './tell-everyone.ts';

export interface PartialResult {
  readonly kept: KeptPass;
  readonly scope: Scope;
  readonly snapshot: NodeSnapshot;
  readonly placing: Placing;
  /** What was decided about the same addresses before. */
  readonly former: readonly AddressDecision[];
}

export function tellSome(
  { node, clock, metrics }: AgentSetup,
  { announcer, inquiries, notices, keeper, ear, teller, logs }: AgentParts,
  { kept, scope, snapshot, placing, former }: PartialResult,
): void {
  const { decisions } = placing;
  const { heldKeys: held } = kept;
  const now = clock.monotonic();
  const takenAt = (key: string) => keeper.takenAt(key);
  const round = { decisions, held, takenAt, links: surveyed(snapshot), now };
  const { identities } = snapshot.wire;
  const asked = { probes: ear.probes, identities, inquired: inquiries.asked, now };
  announcer.affirm(findAskers(decisions, asked), round);
  const heldIps = { has: (ip: Ip) => kept.isHeld(ip) };
  const owned = findAffirmable(decisions, heldIps).sure;
  notices.send({ owned, probes: ear.probes, identities, now }, kept.whole.cluster.members);
  const deniable = findDeniable(decisions, heldIps);
  inquiries.attendSome(scope.ips, { known: decisions.map(({ ip }) => ip), deniable });
  announcer.announceSome({ ...round, config: snapshot.config }, scope.ips);
  const { failures, adopted } = keeper;
  const { setbacks } = kept.whole;
  teller.tellSome({ snapshot, placing, failures, setbacks, adopted, held }, scope);
  const changed = { decisions, former };
  metrics.noteSome(changed, held, node);
  logs.decisions.noteSome(changed);
}
