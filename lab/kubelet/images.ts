/** What a pod's `image` may name in the lab: programs of ours, run as plain processes. */

import { join } from 'node:path';

export interface Image {
  readonly what: string;
  /** The program with its arguments, for a pod of this name. */
  readonly argv: (container: {
    readonly pod: string;
    readonly port: number | undefined;
  }) => string[];
}

function program(...path: readonly string[]): string {
  return join(import.meta.dirname, ...path);
}

const usualWebPort = 8080;
const usualEchoPort = 7777;

export const images: Readonly<Record<string, Image>> = {
  web: {
    what: 'an HTTP server that tells who answers, where, and whom it saw asking',
    argv: ({ port = usualWebPort }) => [program('images', 'web-program.ts'), String(port)],
  },
  echo: {
    what: 'echoes UDP datagrams and TCP lines, and says who answers: for clients that count packets',
    argv: ({ pod, port = usualEchoPort }) => [
      program('..', 'traffic', 'responder-program.ts'),
      JSON.stringify({ port, id: pod }),
    ],
  },
  crash: {
    what: 'says a line, and ends badly after CRASH_AFTER_MS (0)',
    argv: () => [program('images', 'crash-program.ts')],
  },
};

/** `web`, `lab/web` and `lab/web:1` are the same; other people's images are not to be had. */
export function findImage(reference: string): Image | undefined {
  const [, name = ''] = /^(?:lab\/)?([a-z]+)(?::[\w.-]+)?$/.exec(reference) ?? [];
  return Object.hasOwn(images, name) ? images[name] : undefined;
}

/** For the status of a container whose image is none of ours. */
export function missingImage(reference: string): string {
  const known = Object.keys(images).map((name) => `lab/${name}`);
  return `there is no image "${reference}" here: the lab runs programs of its own, not containers: ${known.join(', ')}`;
}
