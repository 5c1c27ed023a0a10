/** How much of another process's heap is in use after a garbage collection, as its inspector tells. */

import type { DeployedProgram } from '../test/deployed-program.ts';

const port = 9229;

/** For a program whose heap is to be read later. */
export function withInspector({ argv, env }: DeployedProgram): DeployedProgram {
  return { argv: [`--inspect=0.0.0.0:${port}`, ...argv], env };
}

interface Answer {
  readonly id?: number;
  readonly result?: { readonly usedSize?: number };
  readonly error?: { readonly message: string };
}

/** In bytes, of the only program with an inspector on the host with this IPv4 address. */
export async function readHeap(ip: string): Promise<number> {
  const listed = await fetch(`http://${ip}:${port}/json`);
  const [target] = (await listed.json()) as readonly { readonly webSocketDebuggerUrl: string }[];
  if (target === undefined) throw new Error(`nothing can be inspected on ${ip}`);
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  try {
    await opened(socket);
    await call(socket, 1, 'HeapProfiler.collectGarbage');
    const { usedSize = Number.NaN } = await call(socket, 2, 'Runtime.getHeapUsage');
    return usedSize;
  } finally {
    socket.close();
  }
}

function opened(socket: WebSocket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error(`cannot connect to ${socket.url}`)));
  });
}

function call(socket: WebSocket, id: number, method: string): Promise<{ usedSize?: number }> {
  return new Promise((resolve, reject) => {
    const onMessage = ({ data }: MessageEvent) => {
      const answer = JSON.parse(String(data)) as Answer;
      if (answer.id !== id) return;
      socket.removeEventListener('message', onMessage);
      if (answer.error === undefined) resolve(answer.result ?? {});
      else reject(new Error(`${method}: ${answer.error.message}`));
    };
    socket.addEventListener('message', onMessage);
    socket.addEventListener('close', () => reject(new Error(`${method}: the process ended`)));
    socket.send(JSON.stringify({ id, method }));
  });
}
