/** Flags and environment → how the allocator is to run. */

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

export interface AllocatorOptions extends ProgramOptions {
  /** Services without a loadBalancerClass are ours too. */
  readonly isDefaultAnnouncer: boolean;
  /** Several replicas may run, of which one leads. */
  readonly isElecting: boolean;
  readonly leaseName: string;
  readonly leaseDurationMs: number;
  /** For groups with addresses from Netbox that name no Secret; empty when it is not set. */
  readonly netboxToken: string;
}

export const stateSocket = '/run/purelb/allocator.sock';

const flags = {
  help: { type: 'boolean', short: 'h', default: false },
  host: { type: 'string', default: '' },
  port: { type: 'string', default: '7472' },
  'state-socket': { type: 'string' },
  kubeconfig: { type: 'string' },
  namespace: { type: 'string' },
  'log-level': { type: 'string' },
  'leader-elect': { type: 'boolean', default: true },
  'lease-name': { type: 'string', default: 'purelb-allocator' },
  'lease-duration': { type: 'string', default: '2s' },
} as const;

export const usage = `Gives addresses to Services of type LoadBalancer.

Usage: allocator [flags]
       allocator state [flags]    prints what the running allocator knows and decided; see allocator state --help

  --kubeconfig FILE       how to reach the API server (KUBECONFIG; in a pod its service account)
  --namespace NAME        the namespace PureLB is installed in (PURELB_NAMESPACE; in a pod its own)
  --port NUMBER           of metrics and health (7472)
  --host ADDRESS          to listen on (all)
  --state-socket PATH     unix socket that \`allocator state\` reads (PURELB_STATE_SOCKET; ${stateSocket}; "" for none)
  --log-level LEVEL       ${levels.join(', ')} (PURELB_LOG_LEVEL; info)
  --no-leader-elect       lead without asking: only where a second allocator can never run
  --lease-name NAME       of the Lease by which one of several allocators leads (purelb-allocator)
  --lease-duration TIME   after which a leader that fell silent is replaced (2s)
  --help                  this text

Environment:

  DEFAULT_ANNOUNCER       PureLB: serve Services without a loadBalancerClass too
  NETBOX_USER_TOKEN       API token for groups with netbox that name no Secret
  KUBECONFIG, PURELB_NAMESPACE, PURELB_LOG_LEVEL: as above; flags win
`;

export function readOptions(args: readonly string[], env: Environment): AllocatorOptions | 'help' {
  const values = parseFlags(args, flags);
  if (values.help) return 'help';
  const { PURELB_NAMESPACE = '', PURELB_LOG_LEVEL, DEFAULT_ANNOUNCER } = env;
  const { NETBOX_USER_TOKEN = '' } = env;
  return {
    host: values.host,
    port: readPort(values.port),
    stateSocket: readStateSocket(values['state-socket'], env, stateSocket),
    kubeconfig: values.kubeconfig || undefined,
    namespace: (values.namespace ?? PURELB_NAMESPACE).trim(),
    logLevel: readLevel(values['log-level'], PURELB_LOG_LEVEL),
    isDefaultAnnouncer: DEFAULT_ANNOUNCER === 'PureLB',
    isElecting: values['leader-elect'],
    leaseName: readName(values['lease-name']),
    leaseDurationMs: readLeaseDuration(values['lease-duration']),
    netboxToken: NETBOX_USER_TOKEN.trim(),
  };
}

function readName(text: string): string {
  if (/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(text)) return text;
  throw new UsageError(`--lease-name ${text}: write a name such as purelb-allocator`);
}
