/** The calls of GoBGP's API (version 4) that we make. */

import type { GrpcMethod } from '../runtime/grpc-channel.ts';
import {
  bool,
  emptyMessage,
  type MessageType,
  message,
  nested,
  repeated,
  string,
  uint32,
} from '../runtime/protobuf.ts';
import { destination, path } from './api-paths.ts';
import { dynamicNeighbor, family, global, peer, peerGroup } from './api-peers.ts';
import { definedSet, policy, policyAssignment } from './api-policies.ts';

function method<Request, Answer>(
  name: string,
  request: MessageType<unknown, Request>,
  answer: MessageType<Answer, never>,
): GrpcMethod<Request, Answer> {
  return { path: `/api.GoBgpService/${name}`, request, answer };
}

/** One that is only carried out. */
function act<Request>(name: string, request: MessageType<unknown, Request>) {
  return method(name, request, emptyMessage);
}

const watchFilter = message({ type: uint32(1), init: bool(2) });

export const methods = {
  getBgp: method('GetBgp', emptyMessage, message({ global: nested(1, global) })),
  startBgp: act('StartBgp', message({ global: nested(1, global) })),
  stopBgp: act('StopBgp', message({ allowGracefulRestart: bool(1) })),

  listPeer: method(
    'ListPeer',
    message({ address: string(1), enableAdvertised: bool(2) }),
    message({ peer: nested(1, peer) }),
  ),
  addPeer: act('AddPeer', message({ peer: nested(1, peer) })),
  updatePeer: act('UpdatePeer', message({ peer: nested(1, peer) })),
  deletePeer: act('DeletePeer', message({ address: string(1) })),
  resetPeer: act(
    'ResetPeer',
    message({ address: string(1), communication: string(2), soft: bool(3), direction: uint32(4) }),
  ),

  listPeerGroup: method(
    'ListPeerGroup',
    emptyMessage,
    message({ peerGroup: nested(1, peerGroup) }),
  ),
  addPeerGroup: act('AddPeerGroup', message({ peerGroup: nested(1, peerGroup) })),
  updatePeerGroup: act('UpdatePeerGroup', message({ peerGroup: nested(1, peerGroup) })),
  deletePeerGroup: act('DeletePeerGroup', message({ name: string(1) })),
  listDynamicNeighbor: method(
    'ListDynamicNeighbor',
    emptyMessage,
    message({ dynamicNeighbor: nested(1, dynamicNeighbor) }),
  ),
  addDynamicNeighbor: act(
    'AddDynamicNeighbor',
    message({ dynamicNeighbor: nested(1, dynamicNeighbor) }),
  ),
  deleteDynamicNeighbor: act('DeleteDynamicNeighbor', dynamicNeighbor),

  listPath: method(
    'ListPath',
    message({ tableType: uint32(1), family: nested(3, family) }),
    message({ destination: nested(1, destination) }),
  ),
  addPathStream: act('AddPathStream', message({ tableType: uint32(1), paths: repeated(3, path) })),

  listDefinedSet: method(
    'ListDefinedSet',
    message({ definedType: uint32(1) }),
    message({ definedSet: nested(1, definedSet) }),
  ),
  addDefinedSet: act('AddDefinedSet', message({ definedSet: nested(1, definedSet) })),
  deleteDefinedSet: act(
    'DeleteDefinedSet',
    message({ definedSet: nested(1, definedSet), all: bool(2) }),
  ),
  listPolicy: method('ListPolicy', emptyMessage, message({ policy: nested(1, policy) })),
  addPolicy: act('AddPolicy', message({ policy: nested(1, policy) })),
  deletePolicy: act(
    'DeletePolicy',
    message({ policy: nested(1, policy), preserveStatements: bool(2), all: bool(3) }),
  ),
  listPolicyAssignment: method(
    'ListPolicyAssignment',
    message({ name: string(1), direction: uint32(2) }),
    message({ assignment: nested(1, policyAssignment) }),
  ),
  setPolicyAssignment: act(
    'SetPolicyAssignment',
    message({ assignment: nested(1, policyAssignment) }),
  ),

  watchEvent: method(
    'WatchEvent',
    message({
      peer: nested(1, emptyMessage),
      table: nested(2, message({ filters: repeated(1, watchFilter) })),
    }),
    emptyMessage,
  ),
};
