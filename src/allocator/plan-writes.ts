/** A plan → what is written to which object, in an order in which a crash between two writes loses nothing. */

import type { AcceptedPools } from '../decide/allocation/accept-pools.ts';
import type {
  AllocationPlan,
  PoolOutcome,
  ServiceDecision,
} from '../decide/allocation/allocation-plan.ts';
import { outcomeOf, planGroupStatus } from '../decide/allocation/plan-group-status.ts';
import { planPolicyPatch, planServicePatch } from '../decide/allocation/plan-service-patch.ts';
import { keyOf } from '../model/identity.ts';
import type { Ip } from '../model/ip.ts';
import type { KubeObject } from '../model/kube-object.ts';
import { findRecorded, isSameRecorded, type RecordedSubnet } from '../model/recorded-subnet.ts';
import type { GroupStatusWrite } from './group-status-writer.ts';
import type { ServiceWrite } from './service-writer.ts';
import type { WatchedObjects } from './watched-objects.ts';

export interface PlannedWrites {
  readonly services: readonly ServiceWrite[];
  /** Wait for something to be written on a group: an entry in quarantine, or the network of what they are given. */
  readonly held: readonly ServiceWrite[];
  readonly groups: readonly GroupStatusWrite[];
  /** There is more to write to Services than was asked for. */
  readonly isMore: boolean;
}

export interface WriteInput {
  readonly plan: AllocationPlan;
  readonly pools: AcceptedPools;
  readonly objects: Pick<WatchedObjects, 'services' | 'groups'>;
  /** Whether a write to the Service can be sent: none is on its way, and none was just refused. */
  readonly accepts: (object: KubeObject) => boolean;
  /** How many writes to Services are wanted. */
  readonly most: number;
  /** Epoch ms. */
  readonly now: number;
}

export function planWrites(input: WriteInput): PlannedWrites {
  const unwritten = { ips: findUnwritten(input), subnets: findUnrecorded(input) };
  const services: ServiceWrite[] = [];
  const held: ServiceWrite[] = [];
  let isMore = false;
  for (const decision of input.plan.undone) {
    if (!decision.isChange) continue;
    if (services.length >= input.most) {
      isMore = true;
      break;
    }
    const write = planServiceWrite(decision, input);
    if (write === undefined) continue;
    (awaitsGroup(decision, unwritten) ? held : services).push(write);
  }
  const waitedFor = new Set(held.flatMap(({ decision }) => movedBy(decision)));
  return { services, held, groups: planGroupWrites(input, waitedFor), isMore };
}

function planServiceWrite(
  decision: ServiceDecision,
  { objects, accepts, now }: WriteInput,
): ServiceWrite | undefined {
  const { key } = decision.service;
  const object = objects.services.get(key);
  if (object === undefined || !accepts(object)) return undefined;
  const write = { key, object, decision, plannedAt: now };
  // An address that is published with a policy which is rewritten after draws clients that are refused again.
  const policy = planPolicyPatch(object, decision);
  if (policy !== undefined) return { ...write, part: 'spec', body: policy };
  const body = planServicePatch(object, decision, now);
  return body && { ...write, part: 'status', body: { ...body } };
}

interface Unwritten {
  readonly ips: ReadonlySet<Ip>;
  readonly subnets: readonly RecordedSubnet[];
}

/** Addresses that are to be in quarantine and are not yet, as far as the API server has it. */
function findUnwritten({ plan, pools }: WriteInput): ReadonlySet<Ip> {
  const written = new Set(
    pools.verdicts.flatMap(({ group }) => group.status.quarantine.map(({ ip }) => ip)),
  );
  const wanted = plan.pools.flatMap(({ quarantine }) => quarantine.map(({ ip }) => ip));
  return new Set(wanted.filter((ip) => !written.has(ip)));
}

/** Networks of addresses from other sources that are to be recorded: agents know of no other record of their length. */
function findUnrecorded({ plan, pools }: WriteInput): readonly RecordedSubnet[] {
  return plan.pools
    .filter(({ pool }) => pool.source.kind !== 'cluster')
    .flatMap(({ pool, subnets }) => {
      const written = pools.recorded.get(pool.name) ?? [];
      return subnets.filter((one) => !written.some((each) => isSameRecorded(each, one)));
    });
}

function awaitsGroup({ givesUp, gains }: ServiceDecision, { ips, subnets }: Unwritten): boolean {
  if (ips.size > 0 && givesUp.some(({ ip }) => ips.has(ip))) return true;
  return subnets.length > 0 && gains.some((ip) => findRecorded(subnets, ip));
}

function movedBy({ givesUp, gains }: ServiceDecision): readonly Ip[] {
  return [...givesUp.map(({ ip }) => ip), ...gains];
}

function planGroupWrites(
  { plan, pools, objects, now }: WriteInput,
  waitedFor: ReadonlySet<Ip>,
): readonly GroupStatusWrite[] {
  return pools.verdicts.flatMap((verdict) => {
    const key = keyOf(verdict.group.identity);
    const object = objects.groups.get(key);
    if (object === undefined) return [];
    const found = outcomeOf(verdict, plan);
    const { body, events } = planGroupStatus(object, verdict, found, now);
    if (body === undefined) return [];
    return [{ key, object, body, events, isUrgent: isWaitedFor(found.outcome, waitedFor) }];
  });
}

function isWaitedFor(outcome: PoolOutcome | undefined, waitedFor: ReadonlySet<Ip>): boolean {
  if (waitedFor.size === 0 || outcome === undefined) return false;
  if (outcome.quarantine.some(({ ip }) => waitedFor.has(ip))) return true;
  return [...waitedFor].some((ip) => findRecorded(outcome.subnets, ip));
}
