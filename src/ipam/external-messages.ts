/** purelb.ipam.v1, as docs/reference/ipam.proto has it. */

import type { GrpcMethod } from '../runtime/grpc-channel.ts';
import {
  bool,
  emptyMessage,
  type InputOf,
  message,
  nested,
  optional,
  repeated,
  string,
  strings,
  uint32,
  uint64,
  type ValueOf,
} from '../runtime/protobuf.ts';

export const explicitIps = message({ ips: strings(1) });
export const familyRequest = message({ wantIpv4: bool(1), wantIpv6: bool(2) });

export const allocateRequest = message({
  pool: string(1),
  service: string(2),
  sharingKey: string(3),
  // One of the two.
  explicit: nested(4, explicitIps),
  families: nested(5, familyRequest),
});

export const allocatedIp = message({ ip: string(1), prefixLength: uint32(2) });
export const allocateResponse = message({ ips: repeated(1, allocatedIp) });

export const releaseRequest = message({
  pool: string(1),
  service: string(2),
  // One of the two.
  ip: optional(string(3)),
  all: optional(bool(4)),
});

export const statsRequest = message({ pool: string(1) });
export const statsResponse = message({
  inUseV4: uint64(1),
  inUseV6: uint64(2),
  sizeV4: uint64(3),
  sizeV6: uint64(4),
  hasKnownCapacity: bool(5),
  displayAddresses: strings(6),
});

export type AllocateRequest = ValueOf<typeof allocateRequest>;
export type AllocateResponse = ValueOf<typeof allocateResponse>;
export type ReleaseRequest = ValueOf<typeof releaseRequest>;
export type StatsResponse = ValueOf<typeof statsResponse>;

const service = '/purelb.ipam.v1.IPAM';

export const allocateMethod: GrpcMethod<InputOf<typeof allocateRequest>, AllocateResponse> = {
  path: `${service}/Allocate`,
  request: allocateRequest,
  answer: allocateResponse,
};
export const releaseMethod: GrpcMethod<InputOf<typeof releaseRequest>, object> = {
  path: `${service}/Release`,
  request: releaseRequest,
  answer: emptyMessage,
};
export const statsMethod: GrpcMethod<InputOf<typeof statsRequest>, StatsResponse> = {
  path: `${service}/Stats`,
  request: statsRequest,
  answer: statsResponse,
};
