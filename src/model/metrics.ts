/** The metrics that our programs export; names and labels are upstream's, so that its dashboards and alerts go on working. */

export interface Metric {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly labels: readonly string[];
  readonly help: string;
  /** Upper bounds of a histogram's buckets, in the metric's unit. */
  readonly buckets?: readonly number[];
}

type Metrics = Readonly<Record<string, Metric>>;

const counter = (help: string, ...labels: readonly string[]): Metric => ({
  type: 'counter',
  labels,
  help,
});
const gauge = (help: string, ...labels: readonly string[]): Metric => ({
  type: 'gauge',
  labels,
  help,
});
const histogram = (
  help: string,
  buckets: readonly number[],
  ...labels: readonly string[]
): Metric & { readonly buckets: readonly number[] } => ({
  type: 'histogram',
  labels,
  help,
  buckets,
});

/** `count` bounds, each `factor` times the one before. */
function exponential(start: number, factor: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => start * factor ** index);
}

const defaultBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export const allocatorMetrics = {
  purelb_address_pool_size: gauge('Addresses in a pool', 'pool'),
  purelb_address_pool_addresses_in_use: gauge('Addresses of a pool in use', 'pool'),
  purelb_address_pool_allocation_rejected_total: counter('Refused allocations', 'pool', 'reason'),
  purelb_address_pool_multipool_allocations_total: counter('Multi-pool allocations', 'pool'),
  purelb_address_pool_multipool_partial_total: counter(
    'Multi-pool allocations that did not get an address of every range',
    'pool',
  ),
  purelb_address_pool_balance_pools_allocations_total: counter('Balanced allocations', 'pool'),
  purelb_servicegroups_out_of_scope: gauge(
    'ServiceGroups that are ignored because of their namespace',
    'namespace',
    'name',
    'type',
  ),
  purelb_allocator_sg_status_writes_total: counter('Writes of ServiceGroup status', 'outcome'),
  purelb_allocator_source_calls_total: counter(
    'What address sources other than our own ranges were asked, and what came of it',
    'pool',
    'operation',
    'outcome',
  ),
  purelb_allocator_source_call_duration_seconds: histogram(
    'Time that address sources took',
    defaultBuckets,
    'pool',
    'operation',
  ),
  purelb_allocator_source_ready: gauge('Whether the address source of a pool answers', 'pool'),
  purelb_allocator_sidecar_rpc_total: counter(
    'Calls to external IPAMs',
    'socket',
    'method',
    'code',
  ),
  purelb_allocator_sidecar_rpc_duration_seconds: histogram(
    'Time that calls to external IPAMs took',
    defaultBuckets,
    'socket',
    'method',
  ),
} as const satisfies Metrics;

export const agentMetrics = {
  purelb_lbnodeagent_announced: gauge(
    'Addresses that this node announces',
    'service',
    'node',
    'ip',
  ),
  purelb_lbnodeagent_selector_state: gauge('Which configuration is in force', 'state'),
  purelb_lbnodeagent_garp_sent_total: counter('Gratuitous ARP sent'),
  purelb_lbnodeagent_garp_errors_total: counter('Gratuitous ARP that could not be sent'),
  purelb_lbnodeagent_na_sent_total: counter('Unsolicited neighbour advertisements sent'),
  purelb_lbnodeagent_na_errors_total: counter('Neighbour advertisements that could not be sent'),
  purelb_lbnodeagent_address_renewals_total: counter('Lifetimes of addresses refreshed'),
  purelb_lbnodeagent_address_renewal_errors_total: counter('Lifetimes that could not be refreshed'),
  purelb_lbnodeagent_address_additions_total: counter('Addresses put on links'),
  purelb_lbnodeagent_address_withdrawals_total: counter('Addresses taken off links'),
  purelb_lbnodeagent_election_wins_total: counter('Addresses that this node was elected for'),
  purelb_lbnodeagent_election_losses_total: counter('Addresses that another node was elected for'),
  purelb_lbnodeagent_announce_slot_steal_total: counter(
    'Addresses taken over from another node',
    'from',
    'to',
  ),
  purelb_lbnodeagent_handovers_total: counter(
    'Addresses handed over to another node',
    'cause',
    'outcome',
  ),
  purelb_lbnodeagent_audit_differences_total: counter(
    'Decisions kept from earlier passes that an audit found out of date',
  ),
  purelb_lbnodeagent_wakes_total: counter(
    'Passes over everything, by what called for them',
    'reason',
  ),
  purelb_lbnodeagent_doubts_total: counter(
    'Times that this node did not rely on what it holds before it had asked the network',
    'reason',
  ),
  purelb_lbnodeagent_watched_holders: gauge(
    'Nodes that this one watches, by how they are',
    'state',
  ),
  purelb_lbnodeagent_silent_holders_total: counter('Nodes that this one watched and found silent'),
  purelb_lbnodeagent_forwarding_checks_total: counter(
    'New addresses for which kube-proxy was looked at before they were announced',
    'outcome',
  ),
  purelb_lbnodeagent_forwarding_wait_seconds_total: counter(
    'Time that new addresses waited for kube-proxy',
  ),
  purelb_lbnodeagent_advance_probes_total: counter(
    'Probes for addresses that no Service has yet, sent before they are given out',
  ),
  purelb_lbnodeagent_advance_conflicts_total: counter(
    'Free addresses that a host outside the cluster was found to use',
  ),
  purelb_lbnodeagent_frames_total: counter(
    'Frames by which neighbours are asked, heard and told, by what became of them',
    'outcome',
  ),
  purelb_lbnodeagent_hints_total: counter(
    'Hints to and from other agents, by what became of them',
    'outcome',
  ),
  purelb_lbnodeagent_peer_authentication: gauge(
    'Whether there is a key by which agents prove themselves to each other',
  ),
  purelb_lbnodeagent_yields_total: counter('Addresses given up to another node that held them too'),
  purelb_election_lease_healthy: gauge('Whether the own Lease is renewed'),
  purelb_election_lease_renewals_total: counter('Renewals of the own Lease'),
  purelb_election_lease_renewal_failures_total: counter('Failed renewals of the own Lease'),
  purelb_election_winner_changes_total: counter('Changes of the elected node', 'service'),
  purelb_election_member_count: gauge('Live nodes'),
  purelb_election_subnet_count: gauge('Subnets that live nodes are on'),
  purelb_election_local_subnet_count: gauge('Subnets that this node is on'),
  purelb_election_affinity_fallback_total: counter(
    'Elections in which no preferred node was eligible',
    'service',
  ),
} as const satisfies Metrics;

export const kubeMetrics = {
  purelb_k8s_client_updates_total: counter('Reconciliations'),
  purelb_k8s_client_update_errors_total: counter('Reconciliations that failed'),
  purelb_k8s_client_config_loaded_bool: gauge('Whether a configuration was accepted'),
} as const satisfies Metrics;

const object = ['name', 'namespace'] as const;

export const bgpMetrics = {
  k8gobgp_reconcile_total: counter('Reconciliations of BGPConfigurations', ...object, 'result'),
  k8gobgp_reconcile_duration_seconds: histogram(
    'Time that reconciliations took',
    exponential(0.001, 2, 15),
    ...object,
  ),
  k8gobgp_neighbors_configured: gauge('Neighbours of this node', ...object),
  k8gobgp_neighbors_established: gauge('Sessions that are up', ...object),
  k8gobgp_peer_groups_configured: gauge('Peer groups of this node', ...object),
  k8gobgp_dynamic_neighbors_configured: gauge('Dynamic neighbours of this node', ...object),
  k8gobgp_vrfs_configured: gauge('VRFs of this node', ...object),
  k8gobgp_policies_configured: gauge('Policies', ...object),
  k8gobgp_defined_sets_configured: gauge('Defined sets', ...object),
  k8gobgp_configuration_ready: gauge('Whether the configuration is in force', ...object),
  k8gobgp_gobgpd_connection_status: gauge('Whether the daemon answers', 'endpoint'),
  k8gobgp_gobgpd_connection_errors_total: counter('Failed calls to the daemon', 'endpoint'),
  k8gobgp_rib_route_count: gauge('Routes in the daemon', 'family'),
  k8gobgp_neighbors_total: gauge('Neighbours that the daemon knows'),
  k8gobgp_neighbors_established_total: gauge('Sessions in state Established'),
  k8gobgp_neighbors_active: gauge('Sessions in state Active'),
  k8gobgp_neighbors_idle: gauge('Sessions in state Idle'),
  k8gobgp_routes_received_total: gauge('Routes received'),
  k8gobgp_routes_accepted_total: gauge('Routes accepted'),
  k8gobgp_routes_advertised_total: gauge('Routes advertised'),
  k8gobgp_router_id_resolution_total: counter('Resolutions of the router ID', 'result'),
  k8gobgp_router_id_source: gauge('Where the router ID comes from', 'source'),
  k8gobgp_router_id_info: gauge('The router ID', 'router_id', 'source', 'node', 'asn'),
  k8gobgp_nodestatus_write_total: counter('Writes of BGPNodeStatus', 'result'),
  k8gobgp_nodestatus_last_successful_write_timestamp: gauge('When it was last written'),
  k8gobgp_peer_apply_errors_total: counter('Neighbours that could not be set', 'key', 'op'),
  k8gobgp_global_restart_required: gauge(
    'Settings that need the daemon to start anew',
    'field',
    ...object,
  ),
} as const satisfies Metrics;
