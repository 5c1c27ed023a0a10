/** Flags and environment → how the agent is to run. */

import { parseArgs } from 'node:util';
import { durationWithin } from '../model/duration.ts';
import { nearest } from '../model/nearest.ts';
import { isProblem } from '../model/parsed.ts';
import { type Level, levels, parseLevel } from '../runtime/log.ts';

export interface AgentOptions {
  readonly nodeName: string;
  /** As told; empty when nobody said it. */
  readonly namespace: string;
  /** Tells one process on this node from the next. */
  readonly podUid: string;
  /** All addresses of the machine when empty. */
  readonly host: string;
  readonly port: number;
  readonly kubeconfig: string | undefined;
  readonly leaseDurationMs: number;
  /** Of our own DaemonSet: when that goes, so do the addresses. Empty: they always stay. */
  readonly daemonSet: string;
  readonly logLevel: Level;
}

/** What the user wrote cannot be carried out; the message says what to write instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code = 'USAGE';
}

export type Environment = Readonly<Record<string, string | undefined>>;

const flags = {
  help: { type: 'boolean', short: 'h', default: false },
  'node-name': { type: 'string' },
  namespace: { type: 'string' },
  'pod-uid': { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string', default: '7472' },
  kubeconfig: { type: 'string' },
  'lease-duration': { type: 'string' },
  'renew-deadline': { type: 'string' },
  'retry-period': { type: 'string' },
  daemonset: { type: 'string' },
  'log-level': { type: 'string' },
} as const;

export const usage = `Puts the addresses of Services on this node and tells its neighbours.

Usage: agent [flags]

  --node-name NAME        of the Node it runs on (PURELB_NODE_NAME); required
  --namespace NAME        the namespace PureLB is installed in (PURELB_NAMESPACE; in a pod its own)
  --pod-uid TEXT          tells this process from its successors (PURELB_POD_UID)
  --kubeconfig FILE       how to reach the API server (KUBECONFIG; in a pod its service account)
  --host ADDRESS          to listen on (PURELB_HOST; all)
  --port NUMBER           of metrics, health and state (7472)
  --lease-duration TIME   after which a node that fell silent is no member (PURELB_LEASE_DURATION; 10s)
  --daemonset NAME        of the agents: addresses go when it does (PURELB_DAEMONSET; they always stay)
  --log-level LEVEL       ${levels.join(', ')} (PURELB_LOG_LEVEL; info)
  --renew-deadline TIME, --retry-period TIME
                          taken for compatibility, without effect
  --help                  this text

Flags win over the environment.
`;

export function readOptions(args: readonly string[], env: Environment): AgentOptions | 'help' {
  const values = parse(args);
  if (values.help) return 'help';
  const { PURELB_NODE_NAME, PURELB_NAMESPACE, PURELB_POD_UID, PURELB_HOST } = env;
  const { PURELB_LEASE_DURATION, PURELB_DAEMONSET, PURELB_LOG_LEVEL } = env;
  return {
    nodeName: readNodeName(values['node-name'] ?? PURELB_NODE_NAME),
    namespace: (values.namespace ?? PURELB_NAMESPACE ?? '').trim(),
    podUid: values['pod-uid'] ?? PURELB_POD_UID ?? '',
    host: values.host ?? PURELB_HOST ?? '',
    port: readPort(values.port),
    kubeconfig: values.kubeconfig || undefined,
    leaseDurationMs: readLeaseDuration(values['lease-duration'], PURELB_LEASE_DURATION),
    daemonSet: (values.daemonset ?? PURELB_DAEMONSET ?? '').trim(),
    logLevel: readLevel(values['log-level'], PURELB_LOG_LEVEL),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: args.map(toLongForm), options: flags }).values;
  } catch (error) {
    throw new UsageError(describe(error));
  }
}

/** The original takes its flags with one dash as well. */
function toLongForm(arg: string): string {
  return /^-[a-z][a-z-]+(=|$)/.test(arg) ? `-${arg}` : arg;
}

/** Node's own text goes on to advise what is of no use here. */
function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const [, unknown] = /^Unknown option '(?:--?)([^']+)'/.exec(message) ?? [];
  if (unknown === undefined) return message.split('. ')[0] ?? message;
  const meant = nearest(unknown, Object.keys(flags));
  const hint = meant === undefined ? '' : `: did you mean --${meant}?`;
  return `unknown flag --${unknown}${hint}`;
}

function readNodeName(text: string | undefined): string {
  const name = text?.trim() ?? '';
  if (name !== '') return name;
  throw new UsageError('the name of this node is needed: give --node-name or PURELB_NODE_NAME');
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port ${text}: write a number from 0 to 65535`);
}

const usualLeaseMs = 10_000;

/** A flag that cannot be read is refused; in the environment, as with the original, it counts as absent. */
function readLeaseDuration(flag: string | undefined, env: string | undefined): number {
  const parsed = durationWithin('2s', '10m')(flag ?? env ?? '10s');
  if (!isProblem(parsed)) return parsed.value;
  if (flag === undefined) return usualLeaseMs;
  throw new UsageError(`--lease-duration: ${parsed.problems[0]?.message}`);
}

function readLevel(flag: string | undefined, env: string | undefined): Level {
  if (flag === undefined) return parseLevel(env);
  const level = levels.find((each) => each === flag.toLowerCase());
  if (level !== undefined) return level;
  throw new UsageError(`--log-level ${flag}: write one of ${levels.join(', ')}`);
}
