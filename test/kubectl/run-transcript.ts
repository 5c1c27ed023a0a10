/**
 * A transcript is a session at a terminal, kept as a file: lines that start with `$ ` are commands, what follows is what
 * they print, lines that start with `# ` say why. Running it must print the same again, but for what differs by nature.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

export interface Step {
  /** Comments and blank lines before the command. */
  readonly lead: readonly string[];
  readonly command: string;
  readonly output: readonly string[];
}

export function parseTranscript(transcript: string): readonly Step[] {
  const steps: { lead: string[]; command: string; output: string[] }[] = [];
  let lead: string[] = [];
  for (const line of transcript.trimEnd().split('\n')) {
    if (line.startsWith('$ ')) {
      steps.push({ lead, command: line.slice(2), output: [] });
      lead = [];
    } else if (line.startsWith('# ') || line === '') lead.push(line);
    else steps.at(-1)?.output.push(line);
  }
  return steps;
}

export function renderTranscript(steps: readonly Step[]): string {
  const lines = steps.flatMap(({ lead, command, output }) => [...lead, `$ ${command}`, ...output]);
  return `${lines.join('\n')}\n`;
}

export interface Terminal {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What the command prints, masked; errors come after the rest, and its exit code if it is not 0. */
export async function runCommand(
  command: string,
  { cwd, env }: Terminal,
): Promise<readonly string[]> {
  const child = spawn('timeout', ['60', 'sh', '-c', command], { cwd, env: { ...env } });
  child.stdin.end();
  const exited = once(child, 'close') as Promise<[number | null]>;
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [status] = await exited;
  const code = status === 0 ? '' : `(exit ${status ?? 'by signal'})`;
  return mask(`${stdout}${stderr}${code}`);
}

const masks: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UID'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME'],
  [/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, 'TIME'],
  [/(resourceVersion"?: "?|Resource Version: +)\d+/g, '$1VERSION'],
  [/https?:\/\/127\.0\.0\.1:\d+/g, 'URL'],
  [/\b10\.96\.\d+\.\d+/g, 'CLUSTER-IP'],
  [/\bfd00:96::[0-9a-f:]+/g, 'CLUSTER-IP6'],
  [/(?<=:|NodePort: .*)\b3\d{4}\b/g, 'NODEPORT'],
  [/-[a-z0-9]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '-HASH-POD'],
  [/\b(web|each)-[bcdfghjklmnpqrstvwxz2456789]{10}\b/g, '$1-HASH'],
  [/\b(web|each)-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, '$1-POD'],
  [/pod-template-hash=\w+/g, 'pod-template-hash=HASH'],
  [/(?<![-.\w/])(?:\d+[dhms])+(?![-.\w/])/g, 'AGE'],
  // Columns are as wide as their content, which differs by what is masked.
  [/(?<=\S) {2,}/g, '   '],
];

export function mask(output: string): readonly string[] {
  // Lines of kubectl's own log come or not, as time has it.
  const lines = output.split('\n').filter((line) => !/^[IWE]\d{4} \d\d:/.test(line));
  const masked = lines.map((line) =>
    masks.reduce((result, [pattern, word]) => result.replace(pattern, word), line).trimEnd(),
  );
  // A blank line would end the output, and a `#` begin a comment.
  return masked.flatMap((line) => (line === '' ? [] : [line.replace(/^([#$])/, ' $1')]));
}
