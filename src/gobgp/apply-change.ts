/** One change → calls of GoBGP's API. */

import type { SpeakerChange, SpeakerPolicies, SpeakerPolicy } from '../model/speaker.ts';
import type { GrpcMethod } from '../runtime/grpc-channel.ts';
import { GrpcError } from '../runtime/grpc-error.ts';
import { methods } from './api-methods.ts';
import { encodeGroup, encodeIdentity, encodePeer } from './encode-peer.ts';
import {
  directions,
  encodePolicy,
  encodeSet,
  encodeSetName,
  globalTable,
  routeActions,
} from './encode-policy.ts';
import { encodePath } from './path-message.ts';
import { SpeakerError } from './speaker.ts';
import { isAlreadySo } from './speaker-error.ts';

/** Many requests in one call. */
export type Send = <Request, Answer>(
  method: GrpcMethod<Request, Answer>,
  requests: readonly Request[],
) => Promise<Answer>;

export async function applyChange(change: SpeakerChange, send: Send): Promise<void> {
  switch (change.kind) {
    case 'start':
      await send(methods.startBgp, [{ global: encodeIdentity(change.identity) }]);
      return;
    case 'set-policies':
      return setPolicies(change.policies, send);
    case 'remove-policies':
      return removePolicies(change, send);
    case 'add-peer':
    case 'update-peer':
    case 'remove-peer':
    case 'reset-peer':
      return applyToPeer(change, send);
    case 'set-paths':
      return setPaths(change, send);
    case 'add-group':
    case 'update-group':
    case 'remove-group':
    case 'add-dynamic':
    case 'remove-dynamic':
      return applyToGroup(change, send);
    default:
      change satisfies never;
  }
}

type PeerChange = Extract<
  SpeakerChange,
  { kind: 'add-peer' | 'update-peer' | 'remove-peer' | 'reset-peer' }
>;

async function applyToPeer(change: PeerChange, send: Send): Promise<void> {
  switch (change.kind) {
    case 'add-peer': {
      const peer = encodePeer(change.peer, change.isRestarting);
      return unlessAlready(send(methods.addPeer, [{ peer }]));
    }
    case 'update-peer':
      return updatePeer(change, send);
    case 'remove-peer':
      return removePeer(change.address, send);
    case 'reset-peer': {
      const { address, words: communication } = change;
      return unlessAlready(send(methods.resetPeer, [{ address, communication }]));
    }
    default:
      change satisfies never;
  }
}

/** One that is named by its link is another neighbour to the daemon when another address answers there. */
async function updatePeer(
  { peer: wish, address }: Extract<SpeakerChange, { kind: 'update-peer' }>,
  send: Send,
): Promise<void> {
  const peer = encodePeer(wish, false);
  try {
    await send(methods.updatePeer, [{ peer }]);
  } catch (error) {
    const isElsewhere = error instanceof GrpcError && error.message.includes("doesn't exist");
    if (wish.peer.kind !== 'link' || !isElsewhere) throw error;
    await removePeer(address, send);
    await send(methods.addPeer, [{ peer }]);
  }
}

/** Always by its address: the daemon does not survive to be asked for one by its link. */
async function removePeer(address: string, send: Send): Promise<void> {
  if (address === '') throw new SpeakerError('Refused', 'it has no address to be removed by');
  await unlessAlready(send(methods.deletePeer, [{ address }]));
}

type GroupChange = Extract<
  SpeakerChange,
  { kind: 'add-group' | 'update-group' | 'remove-group' | 'add-dynamic' | 'remove-dynamic' }
>;

async function applyToGroup(change: GroupChange, send: Send): Promise<void> {
  switch (change.kind) {
    case 'add-group':
      return unlessAlready(send(methods.addPeerGroup, [{ peerGroup: encodeGroup(change.group) }]));
    case 'update-group':
      await send(methods.updatePeerGroup, [{ peerGroup: encodeGroup(change.group) }]);
      return;
    case 'remove-group':
      return unlessAlready(send(methods.deletePeerGroup, [{ name: change.name }]));
    case 'add-dynamic': {
      const dynamicNeighbor = { prefix: change.prefix, peerGroup: change.group };
      return unlessAlready(send(methods.addDynamicNeighbor, [{ dynamicNeighbor }]));
    }
    case 'remove-dynamic': {
      const request = { prefix: change.prefix, peerGroup: change.group };
      return unlessAlready(send(methods.deleteDynamicNeighbor, [request]));
    }
    default:
      change satisfies never;
  }
}

async function unlessAlready(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (error instanceof GrpcError && isAlreadySo(error.message)) return;
    throw error;
  }
}

/**
 * What is in force is replaced in one step, and only by something complete: a policy whose name vanishes while it is
 * assigned would let everything through.
 */
async function setPolicies(policies: SpeakerPolicies, send: Send): Promise<void> {
  for (const set of policies.sets) {
    await unlessAlready(send(methods.addDefinedSet, [{ definedSet: encodeSet(set) }]));
  }
  for (const direction of ['import', 'export'] as const) {
    const policy = policies[direction];
    await unlessAlready(send(methods.addPolicy, [{ policy: encodePolicy(policy) }]));
    await assign(policy, directions[direction], send);
  }
  await send(methods.resetPeer, [{ soft: true, direction: softBoth }]);
}

const softBoth = 3;

async function assign(policy: SpeakerPolicy, direction: number, send: Send): Promise<void> {
  const assignment = {
    name: globalTable,
    direction,
    policies: [{ name: policy.name }],
    defaultAction: routeActions[policy.defaultAction],
  };
  await send(methods.setPolicyAssignment, [{ assignment }]);
}

async function removePolicies(
  { names, sets }: Extract<SpeakerChange, { kind: 'remove-policies' }>,
  send: Send,
): Promise<void> {
  for (const name of names) {
    await unlessAlready(send(methods.deletePolicy, [{ policy: { name }, all: true }]));
  }
  for (const set of sets) {
    const request = { definedSet: encodeSetName(set), all: true };
    await unlessAlready(send(methods.deleteDefinedSet, [request]));
  }
}

const globalRib = 1;
/** Of one message: large ones wait for each other inside the daemon. */
const pathsAtOnce = 500;

async function setPaths(
  { add, withdraw }: Extract<SpeakerChange, { kind: 'set-paths' }>,
  send: Send,
): Promise<void> {
  const paths = [
    ...add.map((path) => encodePath(path)),
    ...withdraw.map((path) => encodePath(path, true)),
  ];
  if (paths.length === 0) return;
  const requests = [];
  for (let start = 0; start < paths.length; start += pathsAtOnce) {
    requests.push({ tableType: globalRib, paths: paths.slice(start, start + pathsAtOnce) });
  }
  await send(methods.addPathStream, requests);
}
