/**
 * `npm start`: a cluster's network on this machine. Shows that it works and stays until Ctrl-C or SIGTERM, which
 * end it with 0; with `--once`, or without a terminal, it ends after showing. Ends with 1 if something did not work.
 */

import { constants } from 'node:os';
import { parseArgs } from 'node:util';
import { installMissing } from '../scripts/system-packages.ts';
import { type Lab, lan } from './network/lab.ts';
import { show } from './playground-show.ts';
import {
  isInSandbox,
  isUserMapped,
  joinCommand,
  runInSandbox,
  sandboxObstacle,
} from './sandbox.ts';

const say = (text: string) => process.stdout.write(`${text}\n`);
const complain = (text: string) => process.stderr.write(`${text}\n`);

const usage = `npm start [-- OPTION]
  --once   end after showing the network instead of waiting for Ctrl-C
  --help   this text`;

async function main(): Promise<number> {
  const options = readOptions();
  if (typeof options === 'number') return options;
  if (isInSandbox()) return play(options.once || !isAtTerminal());
  const missing = installMissing(['ip', 'ping'], complain);
  const obstacle = missing.length > 0 ? `missing: ${missing.join(', ')}` : sandboxObstacle();
  if (obstacle === undefined) return runInSandbox(import.meta.filename, process.argv.slice(2));
  complain(`The playground cannot start: ${obstacle}`);
  return 1;
}

/** The options, or the exit code where there is nothing more to do. */
function readOptions(): { readonly once: boolean } | number {
  try {
    const { values } = parseArgs({
      options: { once: { type: 'boolean' }, help: { type: 'boolean' } },
    });
    if (values.help !== true) return { once: values.once ?? false };
    say(usage);
    return 0;
  } catch (error) {
    complain(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    return 2;
  }
}

function isAtTerminal(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/** In the sandbox. */
async function play(once: boolean): Promise<number> {
  const interruption = nextInterruption();
  const code = await withLab(async (lab) => {
    // Whatever still runs when the lab goes fails with it, and nobody needs to know.
    const shown = show(lab, say);
    shown.catch(() => {});
    const outcome = await Promise.race([shown, interruption]);
    if (outcome !== 'well' && outcome !== 'badly') return 128 + constants.signals[outcome];
    if (!once) await stay(interruption);
    return outcome === 'well' ? 0 : 1;
  });
  say('Taken down; nothing is left behind.');
  return code;
}

async function withLab(use: (lab: Lab) => Promise<number>): Promise<number> {
  // Without a prefix: whoever opens a shell finds `node1` under that name.
  await using lab = await lan({ nodes: [3, 2], prefix: '' });
  return await use(lab);
}

async function nextInterruption(): Promise<'SIGINT' | 'SIGTERM'> {
  return new Promise((resolve) => {
    // The first one counts; more of them must not cut the taking down short.
    process.on('SIGINT', () => resolve('SIGINT')).on('SIGTERM', () => resolve('SIGTERM'));
  });
}

async function stay(interruption: Promise<unknown>): Promise<void> {
  say(`In another terminal${isUserMapped() ? '' : ', as root'}, open a shell on a node:`);
  say(`  ${joinCommand()} ip netns exec node1 bash`);
  say('Ctrl-C ends the playground.');
  // Signal handlers alone do not keep a process running.
  const hold = setInterval(() => {}, 60_000);
  await interruption;
  clearInterval(hold);
}

process.exitCode = await main();
