/** Flags and environment → how the agent is to run. */

import {
  type Environment,
  parseFlags,
  readLeaseDuration,
  readLevel,
  readPort,
  readStateSocket,
  UsageError,
} from '../program/command-line.ts';
import type { ProgramOptions } from '../program/run-program.ts';
import { levels } from '../runtime/log.ts';

export interface AgentOptions extends ProgramOptions {
  readonly nodeName: string;
  /** Tells one process on this node from the next. */
  readonly podUid: string;
  readonly leaseDurationMs: number;
  /** Of our own DaemonSet: when that goes, so do the addresses. Empty: they always stay. */
  readonly daemonSet: string;
  readonly podName: string;
  /** Where the Secret with the peers' key is mounted. */
  readonly peerKeyDir: string;
  /** Of gobgpd; empty: this node does not speak BGP. */
  readonly gobgpEndpoint: string;
  readonly bgpMetricsPort: number;
  readonly bgpHealthPort: number;
  /** Where gobgpd tells its own metrics; empty: they are not passed on. */
  readonly gobgpdMetrics: string;
  readonly gobgpdMetricsPort: number;
}

export const stateSocket = '/run/purelb/agent.sock';

const flags = {
  help: { type: 'boolean', short: 'h', default: false },
  'node-name': { type: 'string' },
  namespace: { type: 'string' },
  'pod-uid': { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string', default: '7472' },
  'state-socket': { type: 'string' },
  kubeconfig: { type: 'string' },
  'lease-duration': { type: 'string' },
  'renew-deadline': { type: 'string' },
  'retry-period': { type: 'string' },
  daemonset: { type: 'string' },
  'pod-name': { type: 'string' },
  'peer-key-dir': { type: 'string' },
  'gobgp-endpoint': { type: 'string' },
  'bgp-metrics-port': { type: 'string', default: '7473' },
  'bgp-health-port': { type: 'string', default: '7474' },
  'gobgpd-metrics': { type: 'string' },
  'gobgpd-metrics-port': { type: 'string', default: '7475' },
  'log-level': { type: 'string' },
} as const;

export const usage = `Puts the addresses of Services on this node and tells its neighbours.

Usage: agent [flags]
       agent state [flags]    prints what the running agent knows and decided; see agent state --help

  --node-name NAME        of the Node it runs on (PURELB_NODE_NAME); required
  --namespace NAME        the namespace PureLB is installed in (PURELB_NAMESPACE; in a pod its own)
  --pod-uid TEXT          tells this process from its successors (PURELB_POD_UID)
  --kubeconfig FILE       how to reach the API server (KUBECONFIG; in a pod its service account)
  --host ADDRESS          to listen on (PURELB_HOST; all)
  --port NUMBER           of metrics and health (7472)
  --state-socket PATH     unix socket that \`agent state\` reads (PURELB_STATE_SOCKET; ${stateSocket}; "" for none)
  --lease-duration TIME   after which a node that fell silent is no member (PURELB_LEASE_DURATION; 10s)
  --daemonset NAME        of the agents: addresses go when it does (PURELB_DAEMONSET; they always stay)
  --pod-name NAME         of our own pod: when it goes, routers keep our routes for the next (POD_NAME; they do not)
  --peer-key-dir FOLDER   with the key by which agents know each other (PURELB_PEER_KEY_DIR; /etc/purelb/peer-key)
  --gobgp-endpoint TEXT   of gobgpd, such as unix:///var/run/gobgp/gobgp.sock (GOBGP_ENDPOINT; no BGP)
  --bgp-metrics-port NUMBER, --bgp-health-port NUMBER
                          of BGP (7473 and 7474)
  --gobgpd-metrics URL    of gobgpd, such as http://127.0.0.1:6060/metrics, to pass them on (GOBGPD_METRICS; they are not)
  --gobgpd-metrics-port NUMBER
                          where they are passed on (7475)
  --log-level LEVEL       ${levels.join(', ')} (PURELB_LOG_LEVEL; info)
  --renew-deadline TIME, --retry-period TIME
                          taken for compatibility, without effect
  --help                  this text

Flags win over the environment.
`;

export function readOptions(args: readonly string[], env: Environment): AgentOptions | 'help' {
  const values = parseFlags(args, flags);
  if (values.help) return 'help';
  const { PURELB_NODE_NAME, PURELB_NAMESPACE, PURELB_POD_UID, PURELB_HOST } = env;
  const { PURELB_LEASE_DURATION, PURELB_DAEMONSET, PURELB_LOG_LEVEL } = env;
  return {
    nodeName: readNodeName(values['node-name'] ?? PURELB_NODE_NAME),
    namespace: (values.namespace ?? PURELB_NAMESPACE ?? '').trim(),
    podUid: values['pod-uid'] ?? PURELB_POD_UID ?? '',
    host: values.host ?? PURELB_HOST ?? '',
    port: readPort(values.port),
    stateSocket: readStateSocket(values['state-socket'], env, stateSocket),
    kubeconfig: values.kubeconfig || undefined,
    leaseDurationMs: readLease(values['lease-duration'], PURELB_LEASE_DURATION),
    daemonSet: (values.daemonset ?? PURELB_DAEMONSET ?? '').trim(),
    podName: (values['pod-name'] ?? env['POD_NAME'] ?? '').trim(),
    peerKeyDir: readPeerKeyDir(values['peer-key-dir'], env['PURELB_PEER_KEY_DIR']),
    gobgpEndpoint: (values['gobgp-endpoint'] ?? env['GOBGP_ENDPOINT'] ?? '').trim(),
    bgpMetricsPort: readPort(values['bgp-metrics-port']),
    bgpHealthPort: readPort(values['bgp-health-port']),
    gobgpdMetrics: readMetricsUrl(values['gobgpd-metrics'] ?? env['GOBGPD_METRICS'] ?? ''),
    gobgpdMetricsPort: readPort(values['gobgpd-metrics-port']),
    logLevel: readLevel(values['log-level'], PURELB_LOG_LEVEL),
  };
}

function readNodeName(text: string | undefined): string {
  const name = text?.trim() ?? '';
  if (name !== '') return name;
  throw new UsageError('the name of this node is needed: give --node-name or PURELB_NODE_NAME');
}

function readMetricsUrl(text: string): string {
  const url = text.trim();
  if (url === '' || (URL.canParse(url) && new URL(url).protocol === 'http:')) return url;
  throw new UsageError(`"${url}" is no URL such as http://127.0.0.1:6060/metrics`);
}

function readPeerKeyDir(flag: string | undefined, env: string | undefined): string {
  return flag ?? env ?? '/etc/purelb/peer-key';
}

const usualLease = '10s';

/** A flag that cannot be read is refused; in the environment, as with the original, it counts as absent. */
function readLease(flag: string | undefined, env: string | undefined): number {
  if (flag !== undefined) return readLeaseDuration(flag);
  try {
    return readLeaseDuration(env ?? usualLease);
  } catch {
    return readLeaseDuration(usualLease);
  }
}
