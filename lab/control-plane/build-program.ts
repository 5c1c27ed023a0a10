/** Builds a program from its Go modules into the cache, once, however many ask for it at the same time. */

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildFlags, cacheFolder, moduleFolder, wantedGo } from './program-cache.ts';
import { isAtLeast, type Program, type ProgramName, programs, readVersion } from './programs.ts';

export type Log = (line: string) => void;

/** Why nothing can be built on this machine, or undefined if it can be tried. */
export function buildObstacle(program: Program, env = process.env): string | undefined {
  const wanted = wantedGo(program);
  // Asked for in the module's folder, where Go may be set up to fetch the release that the module wants.
  const cwd = moduleFolder(program);
  const asked = spawnSync('go', ['version'], { cwd, env, encoding: 'utf8' });
  const needed = `building needs Go ${wanted.join('.')} or newer`;
  if (asked.error !== undefined) return `${needed}, and there is no \`go\` in the PATH`;
  const found = readVersion(asked.stdout.replace(/\bgo(?=\d)/, 'v'));
  if (found !== undefined && isAtLeast(found, wanted)) return undefined;
  return `${needed}, here is: ${(asked.stdout || asked.stderr).trim()}`;
}

// The kernel drops the lock with its holder, however that ends. The Go cache keeps what an interrupted build
// compiled, and a half-written program never bears the final name.
const buildOnce = `
target=$1; shift
[ -x "$target" ] && exit
nice -n 19 go build -o "$target.partial" "$@" && mv "$target.partial" "$target"`;

/** Resolves to the program's path; rejects with what Go had to say. */
export async function buildProgram(
  name: ProgramName,
  log: Log,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const program: Program = programs[name];
  const folder = cacheFolder(program, env);
  const target = join(folder, name);
  const lock = join(folder, 'lock');
  mkdirSync(folder, { recursive: true });
  if (spawnSync('flock', ['--nonblock', lock, 'true']).status === 1)
    log(`another build is running: waiting`);
  const startedAt = Date.now();
  const elapsed = () => `${Math.round((Date.now() - startedAt) / 1000)} s`;
  log(`building ${name} from ${program.source} …`);
  const ticker = setInterval(() => log(`building ${name}: ${elapsed()}`), 15_000);
  const script = ['sh', '-c', buildOnce, 'sh', target, ...buildFlags(program)];
  try {
    await run('flock', [lock, ...script, program.source], {
      cwd: moduleFolder(program),
      env: { ...env, CGO_ENABLED: '0' },
    });
  } finally {
    clearInterval(ticker);
  }
  log(`built ${name} in ${elapsed()}, ${Math.round(statSync(target).size / 1e6)} MB`);
  return target;
}

async function run(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<void> {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
  const said: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => said.push(text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  if (code !== 0) throw new Error(lastLines(said.join('')) || `ended with ${code}`);
}

/** Go reports each download on a line of its own before it says what went wrong. */
function lastLines(text: string): string {
  const lines = text.split('\n').filter((line) => !/^(go: downloading .*)?$/.test(line));
  return lines.slice(-5).join('\n');
}
