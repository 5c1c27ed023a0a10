/** Pages that show what was typed and what was printed: read, run and compared. */

export interface Step {
  /** For a shell. */
  readonly command: string;
  /** Standard output and standard error together. */
  readonly output: string;
}

/** Blocks marked `console`: a command stands after `$ `, up to the end of its here-document if it has one. */
export function readTranscript(page: string): readonly Step[] {
  const blocks = [...page.matchAll(/^```console\n(.*?)^```$/gms)].map(([, text = '']) => text);
  return blocks.flatMap((block) => {
    const parts = block.split(/^\$ /m).slice(1);
    return parts.map(readStep);
  });
}

function readStep(text: string): Step {
  const [, document] = /^(.*<<'EOF'\n.*?^EOF\n)/ms.exec(text) ?? [];
  const command = document ?? text.slice(0, text.indexOf('\n') + 1);
  return { command: command.trimEnd(), output: text.slice(command.length).trimEnd() };
}

/** What is different each time: ages, times, what the API server picks by chance, and the widths that follow from it. */
export function maskTranscript(text: string): string {
  return (
    text
      // The API server's own Event about a repair that it makes now and then.
      .replace(/^.*\bClusterIPNotAllocated\b.*\n?/gm, '')
      .replace(/\b10\.96\.\d+\.\d+\b/g, 'CLUSTER-IP')
      .replace(/\b80:3\d{4}\/TCP\b/g, '80:NODE-PORT/TCP')
      .replace(/(NodePort:\s+\S+\s+)\d+/g, '$1NODE-PORT')
      .replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
      .replace(/\b(\d+[smh])+\b(?! ago)|<(unknown|invalid)>/g, 'AGE')
      .replace(/(uid|resource version|generation)(:\s+)\S+/gi, '$1$2ANY')
      .replace(/-{2,}/g, '--')
      .replace(/[ \t]+/g, ' ')
      .replace(/ $/gm, '')
  );
}

/** Whether it may be run again until it prints what is expected. */
export function isLook({ command }: Step): boolean {
  return /^kubectl (get|describe|events)\b/.test(command);
}
