/** Why something happened, as Events, conditions and metrics say it. */

/** Reasons of Events and the kind of Event they come with. */
export const eventReasons = {
  // On Services, by the allocator.
  AddressAssigned: 'Normal',
  AddressReleased: 'Normal',
  AllocationFailed: 'Warning',
  ReleaseFailed: 'Warning',
  DeprecationWarning: 'Normal',
  ConfigurationWarning: 'Warning',
  LocalOverride: 'Normal',
  AddressShared: 'Normal',
  // On Services, by the agents; AddressConflict on ServiceGroups, too.
  AnnouncingLocal: 'Normal',
  AnnouncingNonLocal: 'Normal',
  AnnouncementFailed: 'Warning',
  AnnounceSlotSteal: 'Normal',
  HandingOver: 'Normal',
  MoveRefused: 'Warning',
  AddressConflict: 'Warning',
  UnmarkedAddress: 'Warning',
  AggregationUnsafe: 'Warning',
  AddressRefused: 'Warning',
  RouteAttributesRefused: 'Warning',
  DefaultRouteChosen: 'Normal',
  // On ServiceGroups.
  Parsed: 'Normal',
  ParseFailed: 'Warning',
  ServiceGroupOutOfScope: 'Warning',
  AnnounceChanged: 'Warning',
  SourceFailed: 'Warning',
  SourceRecovered: 'Normal',
  SourceWarning: 'Warning',
  DeletionWaits: 'Warning',
  RecordsLeft: 'Warning',
  // On LBNodeAgents.
  InvalidNodeSelector: 'Warning',
  ConfigIgnored: 'Warning',
  ConfigError: 'Warning',
  GuardFailed: 'Warning',
  // On BGPConfigurations.
  RouterIDResolved: 'Normal',
  RouterIDResolutionFailed: 'Warning',
  PeerGroupMissing: 'Warning',
  PeerNotConfigured: 'Warning',
  NoMatchingNeighbors: 'Warning',
  MultipleConfigurations: 'Warning',
  GlobalRestartRequired: 'Warning',
  PeerAsnOverridden: 'Warning',
  InertSettings: 'Warning',
} as const satisfies Record<string, 'Normal' | 'Warning'>;
export type EventReason = keyof typeof eventReasons;

/** Values of the label `reason` of the counter of refused allocations. */
export const rejectionReasons = [
  'exhausted',
  'port_conflict',
  'sharing_key_conflict',
  'multipool_refused',
  'multipool_pool_mismatch',
  'namespace_denied',
  'ambiguous_namespace_default',
  'no_usable_pool',
  'unknown_pool',
  'not_selected',
  'other',
] as const;
export type RejectionReason = (typeof rejectionReasons)[number];

/** Reasons of the condition `Allocated`: how a Service stands that has addresses, or waits for them. */
export const allocationReasons = [
  'Allocated',
  'PartiallyAllocated',
  'NotInPool',
  'NotAsAsked',
  'AddressConflict',
  'Pending',
] as const;
export type AllocationReason = (typeof allocationReasons)[number];

/** Reasons of the condition `Allocated` when a Service is refused what it asks for. */
export const refusalReasons = {
  exhausted: 'Exhausted',
  port_conflict: 'PortConflict',
  sharing_key_conflict: 'SharingKeyConflict',
  multipool_refused: 'MultiPoolRefused',
  multipool_pool_mismatch: 'MultiPoolMismatch',
  namespace_denied: 'NamespaceDenied',
  ambiguous_namespace_default: 'AmbiguousNamespaceDefault',
  no_usable_pool: 'NoUsablePool',
  unknown_pool: 'UnknownPool',
  not_selected: 'NotSelected',
  other: 'Refused',
} as const satisfies Record<RejectionReason, string>;

/** Reasons of the condition `Announced`: whether nodes hold the addresses of a Service, and why not. */
export const announcementReasons = [
  'Announced',
  'AddressConflict',
  'AnnouncementFailed',
  'AddressRefused',
  'NoEndpoints',
  'NoEligibleNode',
  'Pending',
] as const;
export type AnnouncementReason = (typeof announcementReasons)[number];

/** Reasons of the condition `Reachable`: whether other nodes get an answer from the addresses of a Service. */
export const reachabilityReasons = ['Answering', 'NoAnswer'] as const;
export type ReachabilityReason = (typeof reachabilityReasons)[number];

/** Reasons of the condition `Ready` of an LBNodeAgent. */
export const offerReasons = [
  'InForce',
  'NotInForce',
  'NoSettings',
  'InvalidNodeSelector',
  'ConfigError',
] as const;
export type OfferReason = (typeof offerReasons)[number];

/** Reasons of the conditions of a ServiceGroup. */
export const groupReasons = [
  'Accepted',
  'ParseFailed',
  'DuplicateName',
  'OverlapsOther',
  'NoOverlap',
  'InScope',
  'OutsideInstallNamespace',
  'Answering',
  'Unavailable',
  'Denied',
  'Misconfigured',
  'BeingDeleted',
  'InUse',
  'Returning',
  'UnknownOwner',
] as const;
export type GroupReason = (typeof groupReasons)[number];

/**
 * Why an address source other than our own ranges did not do what was asked. `conflict`: someone else has it; `denied`:
 * the credential or its permissions do not suffice; `invalid`: what is asked can never be, as configured; `unavailable`:
 * nothing was done; `ambiguous`: it may have been done, or may still be.
 */
export const sourceFailureReasons = [
  'exhausted',
  'conflict',
  'denied',
  'invalid',
  'unavailable',
  'ambiguous',
] as const;
export type SourceFailureReason = (typeof sourceFailureReasons)[number];

/** Conditions, by the kind of object that carries them. */
export const conditionTypes = {
  Service: ['Allocated', 'Announced', 'Reachable'],
  ServiceGroup: ['Ready', 'Parsed', 'Overlap', 'OutOfScope', 'SourceReady', 'RecordsReturned'],
  LBNodeAgent: ['Ready'],
  BGPConfiguration: ['Ready', 'RouterIDResolved'],
  BGPNodeStatus: ['Ready', 'BFDDegraded'],
} as const;

/** Why an address is in `ServiceGroup.status.quarantine`. */
export const quarantineReasons = ['Conflict', 'Cooldown', 'Reserved', 'HolderLost'] as const;
export type QuarantineReason = (typeof quarantineReasons)[number];

/** Why an agent takes an address off its links, as its log says it. */
export const withdrawalReasons = [
  'noConfig',
  'noLocalInterface',
  'ClusterLocal',
  'noEligibleNodes',
  'lostElection',
  'noEndpoints',
  'cluster event',
  'withdrawAll',
] as const;
export type WithdrawalReason = (typeof withdrawalReasons)[number];
