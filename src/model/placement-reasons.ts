/** Why an address is or is not where it is, as the agents' logs, their state and `why` say it. */

/** What an election says of each member. */
export const candidateVerdicts = {
  eligible: 'may hold it',
  otherSubnet: 'none of its subnets contains the address',
  linkNotReady: 'its link in that subnet has no carrier, or has not had it for long enough',
  excludedByLabel: 'its Node is labelled to take no part in load balancing',
  beingRemoved: 'its Node is being removed',
  nodeGone: 'its Node no longer exists',
  leaseExpired: 'its Lease was not renewed',
  noLease: 'it has no Lease yet, so that the others do not know it',
  silent: 'it does not answer on the network',
  passedOver: 'it was to take the address, and did not in time',
  shuttingDown: 'its agent is about to end, and hands over what it holds',
  addFailed: 'it could not put the address on its link, and waits before it tries again',
  noEndpoints: 'it has no ready endpoint, and traffic to others is not forwarded',
} as const satisfies Record<string, string>;
export type CandidateVerdict = keyof typeof candidateVerdicts;

/** How the winner of an election was found. */
export const electionReasons = {
  incumbent: 'it holds the address, and an address does not move without need',
  hash: 'it has the lowest hash of node and address',
  asked: 'it was asked for by purelb.io/move',
  unmarked: 'it has a copy that PureLB did not put there',
  handed: 'the member that holds it hands it over to this one',
  nobody: 'no member may hold it',
} as const satisfies Record<string, string>;
export type ElectionReason = keyof typeof electionReasons;

/** What became of an address on one node; where upstream has a word for it in its log, that word. */
export const placementReasons = {
  electionWon: 'this node is the one to hold it',
  announcingNonLocal: 'it is on the virtual link of every node',
  noConfig: 'no LBNodeAgent configures this node',
  noLocalInterface: 'no link of this node is in its subnet',
  linkNotReady: 'the link in its subnet has no carrier, or has not had it for long enough',
  nodeExcluded: 'this node takes no part in load balancing',
  routesLeaving:
    'this node takes no part in load balancing, and routers are being told to send it nothing more',
  noEligibleNodes: 'no node may hold it',
  lostElection: 'another node is the one to hold it',
  heldByMember: 'another node answers for it',
  handingOver:
    'it is being handed over to another node, and served here until that one answers for it',
  takingOver: 'the node that holds it hands it over to this one',
  handedOver: 'another node has taken it over, and answers for it',
  noSuccessor: 'it belongs elsewhere, but nobody takes it over: it is served on from here',
  damped: 'it has moved too often of late, and stays where it is for a while',
  newerProcess: 'a newer agent runs on this node, and everything is left to that one',
  succeeding: 'the node that holds it has lost its agent, and will drop it in a moment',
  yielded: 'another node holds it too, and this one gives way',
  verifying: 'the network is being asked whether someone has taken it meanwhile',
  noEndpoints: 'there is no ready endpoint for it here',
  addressConflict: 'a host that is not of this cluster answers for it',
  quarantined: 'it is in quarantine',
  askingTheWire: 'the network is being asked whether someone has it already',
  awaitingForwarding: 'kube-proxy does not forward yet what arrives for it at this node',
  notGiven: 'no ServiceGroup has it, and the allocator has not recorded that it gave it',
  poolUnknown: 'nothing says how it is to be announced',
  resolutionIndeterminate: 'the state of the node could not be read',
  endpointsUnknown: 'the endpoints of its Service are not known yet',
  'cluster event': 'no Service has it any more',
} as const satisfies Record<string, string>;
export type PlacementReason = keyof typeof placementReasons;

/** Why an address is moved though its holder is alive. */
export const moveCauses = {
  excluded: 'its Node is labelled to take no part in load balancing',
  removed: 'its Node is being removed',
  shutdown: 'its agent ends, and is not expected back',
  configuration: 'the configuration of its node no longer lets it hold the address',
  endpoints: 'it has no ready endpoint of the Service',
  affinity: 'the Service prefers nodes with endpoints',
  hash: 'placement by hash puts it on the other node',
  move: 'purelb.io/move asks for it',
  unmarked: 'the other node has a copy that PureLB did not put there and does not remove',
} as const satisfies Record<string, string>;
export type MoveCause = keyof typeof moveCauses;

/** Why the kernel is asked to change an address. */
export const changeReasons = {
  missing: 'it is not there',
  halfLife: 'half of its lifetime is over',
  lifetime: 'its lifetime is another than configured',
  prefixRoute: 'its route flag is another than wanted',
  prefixLength: 'its prefix length is another than wanted',
  primary: 'it displaced an address of the node from being primary',
  notWanted: 'it does not belong there any more',
  restartGrace: 'it shall outlast a restart of the agent',
  ownedElsewhere: 'another host owns it, and this agent cannot read the cluster',
  uninstalled: 'PureLB was uninstalled',
} as const satisfies Record<string, string>;
export type ChangeReason = keyof typeof changeReasons;
