/** Flags and environment → how the allocator is to run. */

import { parseArgs } from 'node:util';
import { durationWithin } from '../model/duration.ts';
import { nearest } from '../model/nearest.ts';
import { isProblem } from '../model/parsed.ts';
import { type Level, levels, parseLevel } from '../runtime/log.ts';

export interface AllocatorOptions {
  /** All addresses of the machine when empty. */
  readonly host: string;
  readonly port: number;
  readonly kubeconfig: string | undefined;
  /** As told; empty when nobody said it. */
  readonly namespace: string;
  readonly logLevel: Level;
  /** Services without a loadBalancerClass are ours too. */
  readonly isDefaultAnnouncer: boolean;
  /** Several replicas may run, of which one leads. */
  readonly isElecting: boolean;
  readonly leaseName: string;
  readonly leaseDurationMs: number;
}

/** What the user wrote cannot be carried out; the message says what to write instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly code = 'USAGE';
}

export type Environment = Readonly<Record<string, string | undefined>>;

const flags = {
  help: { type: 'boolean', short: 'h', default: false },
  host: { type: 'string', default: '' },
  port: { type: 'string', default: '7472' },
  kubeconfig: { type: 'string' },
  namespace: { type: 'string' },
  'log-level': { type: 'string' },
  'leader-elect': { type: 'boolean', default: true },
  'lease-name': { type: 'string', default: 'purelb-allocator' },
  'lease-duration': { type: 'string', default: '15s' },
} as const;

export const usage = `Gives addresses to Services of type LoadBalancer.

Usage: allocator [flags]

  --kubeconfig FILE       how to reach the API server (KUBECONFIG; in a pod its service account)
  --namespace NAME        the namespace PureLB is installed in (PURELB_NAMESPACE; in a pod its own)
  --port NUMBER           of metrics, health and state (7472)
  --host ADDRESS          to listen on (all)
  --log-level LEVEL       ${levels.join(', ')} (PURELB_LOG_LEVEL; info)
  --no-leader-elect       lead without asking: only where a second allocator can never run
  --lease-name NAME       of the Lease by which one of several allocators leads (purelb-allocator)
  --lease-duration TIME   after which a leader that fell silent is replaced (15s)
  --help                  this text

Environment:

  DEFAULT_ANNOUNCER       PureLB: serve Services without a loadBalancerClass too
  KUBECONFIG, PURELB_NAMESPACE, PURELB_LOG_LEVEL: as above; flags win
`;

export function readOptions(args: readonly string[], env: Environment): AllocatorOptions | 'help' {
  const values = parse(args);
  if (values.help) return 'help';
  const { PURELB_NAMESPACE = '', PURELB_LOG_LEVEL, DEFAULT_ANNOUNCER } = env;
  return {
    host: values.host,
    port: readPort(values.port),
    kubeconfig: values.kubeconfig || undefined,
    namespace: (values.namespace ?? PURELB_NAMESPACE).trim(),
    logLevel: readLevel(values['log-level'], PURELB_LOG_LEVEL),
    isDefaultAnnouncer: DEFAULT_ANNOUNCER === 'PureLB',
    isElecting: values['leader-elect'],
    leaseName: readName(values['lease-name']),
    leaseDurationMs: readLeaseDuration(values['lease-duration']),
  };
}

function parse(args: readonly string[]) {
  try {
    const options = { args: args.map(toLongForm), options: flags, allowNegative: true } as const;
    return parseArgs(options).values;
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

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`--port ${text}: write a number from 0 to 65535`);
}

function readLevel(flag: string | undefined, env: string | undefined): Level {
  if (flag === undefined) return parseLevel(env);
  const level = levels.find((each) => each === flag.toLowerCase());
  if (level !== undefined) return level;
  throw new UsageError(`--log-level ${flag}: write one of ${levels.join(', ')}`);
}

function readName(text: string): string {
  if (/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(text)) return text;
  throw new UsageError(`--lease-name ${text}: write a name such as purelb-allocator`);
}

function readLeaseDuration(text: string): number {
  const parsed = durationWithin('2s', '10m')(text);
  if (!isProblem(parsed)) return parsed.value;
  throw new UsageError(`--lease-duration: ${parsed.problems[0]?.message}`);
}
