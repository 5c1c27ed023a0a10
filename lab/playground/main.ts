/** `npm start`: a whole cluster on this machine, to look at, to break and to run scenarios on. */

import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installMissing } from '../../scripts/system-packages.ts';
import { openWayOut } from '../cluster/way-out.ts';
import { missingBinaries } from '../control-plane/binaries.ts';
import { lan } from '../network/lab.ts';
import { tidyCgroups } from '../real-cluster/cgroups.ts';
import { isSetUp, machineObstacle, setUpCommand } from '../real-cluster/set-up.ts';
import { type RouterKind, routerObstacle } from '../router/start-router.ts';
import { isInSandbox, runInSandbox, sandboxObstacle } from '../sandbox.ts';
import { chooseRouter, type RouterWish, routerWishes } from './choose-router.ts';
import { LiveView } from './live-view.ts';
import { showNetbox } from './netbox-show.ts';
import { show } from './network-show.ts';
import { readScenario, ScenarioError, type ScenarioStep } from './read-scenario.ts';
import { runScenario } from './run-scenario.ts';
import { Session } from './session.ts';

const say = (text: string) => process.stdout.write(`${text}\n`);
const complain = (text: string) => process.stderr.write(`${text}\n`);

const usage = `npm start [-- OPTION]
  (none)           the cluster, live in this terminal: keys break things, and you watch them heal
  --tour           shows what it can do, step by step, and ends; 0 if every step held
  --scenario FILE  the same with steps of your own (see lab/playground/tour.yaml)
  --keep           stays after the tour or scenario, for kubectl
  --real           a real kube-apiserver instead of the embedded one
  --cluster        real kubelets and containers, PureLB from its image (once before: ${setUpCommand})
  --router NAME    frr or bird: the program on the router, which learns from the nodes by BGP; none: without
  --netbox         a Service whose address comes from a small Netbox, with what that has on record; and ends
  --network        the network alone, without a cluster: for machines that lack nftables
  --help           this text`;

interface Options {
  readonly steps: readonly ScenarioStep[] | undefined;
  readonly isKept: boolean;
  readonly isReal: boolean;
  readonly isOnRealNodes: boolean;
  readonly isNetworkOnly: boolean;
  readonly isWithNetbox: boolean;
  readonly routerWish: RouterWish | undefined;
}

async function main(): Promise<number> {
  const options = readOptions();
  if (typeof options === 'number') return options;
  if (isInSandbox()) return options.isNetworkOnly ? showNetwork() : play(options);
  if (!mayStart(options) || (options.isOnRealNodes && !mayHaveRealNodes())) return 1;
  using wayOut = await openWayOut();
  using tidied = tidyCgroups();
  const env = { ...wayOut.sandbox.env, ...tidied.env };
  const sandbox = { ...wayOut.sandbox, env };
  return await runInSandbox(import.meta.filename, process.argv.slice(2), sandbox);
}

/** Installs what is missing where it can, and says what is missing still. */
function mayStart({ isNetworkOnly }: Options): boolean {
  const needed = isNetworkOnly ? ['ip', 'ping'] : ['ip', 'ping', 'nft'];
  const missing = installMissing(needed, complain);
  const obstacle = missing.length > 0 ? `missing: ${missing.join(', ')}` : sandboxObstacle();
  if (obstacle === undefined) return true;
  complain(`The playground cannot start: ${obstacle}`);
  if (missing.join() === 'nft') complain('What runs without it: npm start -- --network');
  return false;
}

/** Says what is missing. */
function mayHaveRealNodes(): boolean {
  const obstacle = machineObstacle();
  if (obstacle === undefined && isSetUp()) return true;
  complain(`The playground cannot start real nodes: ${obstacle ?? 'they are not set up here'}`);
  if (obstacle === undefined) complain(`Once, about a quarter of an hour: ${setUpCommand}`);
  complain('What runs without them: npm start, npm start -- --real');
  return false;
}

/** The options, or the exit code where there is nothing more to do. */
function readOptions(): Options | number {
  try {
    const { values } = parseArgs({
      options: {
        tour: { type: 'boolean', default: false },
        scenario: { type: 'string' },
        keep: { type: 'boolean', default: false },
        real: { type: 'boolean', default: false },
        cluster: { type: 'boolean', default: false },
        network: { type: 'boolean', default: false },
        netbox: { type: 'boolean', default: false },
        router: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      say(usage);
      return 0;
    }
    // Nobody could press a key: it shows what it can, and ends.
    const isTour = values.tour || (!process.stdin.isTTY && !values.keep);
    return {
      steps: readSteps(values.scenario, isTour),
      isKept: values.keep,
      isReal: values.real,
      isOnRealNodes: values.cluster,
      isNetworkOnly: values.network,
      isWithNetbox: values.netbox,
      routerWish: readRouterWish(values.router),
    };
  } catch (error) {
    if (error instanceof ScenarioError) {
      complain(`The scenario cannot be run: ${error.message}`);
    } else complain(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    return 2;
  }
}

function readRouterWish(text: string | undefined): RouterWish | undefined {
  const found = routerWishes.find((each) => each === text);
  if (text === undefined || found !== undefined) return found;
  throw new Error(`--router takes ${routerWishes.join(', ')}, not "${text}"`);
}

function readSteps(file: string | undefined, isTour: boolean): readonly ScenarioStep[] | undefined {
  if (file !== undefined) return readScenario(readFileSync(file, 'utf8'));
  if (!isTour) return undefined;
  return readScenario(readFileSync(join(import.meta.dirname, 'tour.yaml'), 'utf8'));
}

async function showNetwork(): Promise<number> {
  await using lab = await lan({ nodes: [3, 2], prefix: '' });
  return (await show(lab, say)) === 'well' ? 0 : 1;
}

/** In the sandbox. */
async function play({ steps, isKept, isWithNetbox, ...kind }: Options): Promise<number> {
  const interruption = new AbortController();
  let signalled: NodeJS.Signals | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    // The first one counts; more of them must not cut the taking down short.
    process.on(signal, () => {
      signalled ??= signal;
      interruption.abort();
    });
  }
  const code = await withCluster(kind, interruption.signal, async (session) => {
    if (isWithNetbox) return showNetbox(session.cluster, say);
    if (steps === undefined) return stay(session, interruption.signal);
    const code = await tell(session, steps, interruption.signal);
    if (isKept && !interruption.signal.aborted) await stay(session, interruption.signal);
    return code;
  });
  say('Taken down; nothing is left behind.');
  const isCutShort = steps !== undefined && !isKept && signalled !== undefined;
  return isCutShort ? 128 + constants.signals[signalled ?? 'SIGTERM'] : code;
}

type ClusterKind = Pick<Options, 'isReal' | 'isOnRealNodes' | 'routerWish'>;

function findRouter({ isOnRealNodes, routerWish }: ClusterKind): RouterKind | undefined {
  const { router, says } = chooseRouter(routerWish, {
    of: routerObstacle,
    ofNodes: () => (isOnRealNodes ? "PureLB's image brings no gobgpd" : missingBinaries('gobgpd')),
  });
  for (const line of says) say(line);
  return router;
}

async function withCluster(
  kind: ClusterKind,
  signal: AbortSignal,
  use: (session: Session) => Promise<number>,
): Promise<number> {
  const { isReal, isOnRealNodes } = kind;
  const startedAt = performance.now();
  const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(1);
  say('Starting a cluster: nothing it does can leave this machine.');
  const router = findRouter(kind);
  await using session = await Session.start({
    ...{ isReal, isOnRealNodes, ...(router && { router }) },
    onProgress: ({ what, atMs }) => say(`  ${(atMs / 1000).toFixed(1).padStart(5)} s  ${what}`),
  });
  if (signal.aborted) return 0;
  say(`Ready after ${seconds()} s. kubectl works on it, in any terminal:`);
  say(`  export KUBECONFIG=${session.cluster.kubeconfig}`);
  return await use(session);
}

async function tell(
  session: Session,
  steps: readonly ScenarioStep[],
  signal: AbortSignal,
): Promise<number> {
  const interrupted = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  const running = runScenario(session, steps, say);
  // Whatever still runs when the cluster goes fails with it, and nobody needs to know.
  running.catch(() => {});
  const outcome = await Promise.race([running, interrupted]);
  if (outcome === undefined) return 1;
  const { held, failed, skipped } = outcome;
  const left = skipped === 0 ? '' : ` ${skipped} were left out.`;
  say(`\n${held} of ${held + failed} steps held.${left}`);
  return failed === 0 ? 0 : 1;
}

async function stay(session: Session, signal: AbortSignal): Promise<number> {
  if (session.observer.services.length === 0) {
    await session.experiments.carryOut({ kind: 'new Service', form: 'local' });
  }
  if (process.stdin.isTTY && process.stdout.isTTY) {
    await new LiveView(session).run(signal);
    return 0;
  }
  say('A shell on a node, in another terminal:');
  say(`  ${session.cluster.shellCommand('node1')}`);
  say('Ctrl-C or SIGTERM ends it.');
  const stop = session.subscribe((line) => {
    if (line !== undefined) say(`${line.clock} ${line.text}`);
  });
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  stop();
  return 0;
}

// Steps that were cut short may still be waiting for something.
process.exit(await main());
