/** A client that tries a port from before it is served, a hundred times a second, and says what it got at first. */

import type { Host } from '../../lab/network/host.ts';

export interface FirstAnswers {
  /** Connections that were refused, until shortly after the first that was not. */
  readonly refused: number;
  /** From the first refusal to the first connection; 0 without any. */
  readonly refusedMs: number;
  /** When the first connection came up, on the monotonic clock of the machine. */
  readonly answeredAt: number;
}

const program = `
import { connect } from 'node:net';
const [{ ip, port }] = JSON.parse(process.argv[1]);
const now = () => Number(process.hrtime.bigint()) / 1e6;
let refused = 0;
let refusedAt;
let answeredAt;
const attempt = () => {
  const socket = connect({ host: ip, port });
  const timer = setTimeout(() => socket.destroy(), 500);
  socket.on('close', () => clearTimeout(timer));
  socket.on('error', ({ code }) => {
    if (code !== 'ECONNREFUSED') return;
    refused += 1;
    refusedAt ??= now();
  });
  socket.on('connect', () => {
    socket.destroy();
    if (answeredAt !== undefined) return;
    answeredAt = now();
    setTimeout(tell, 200);
  });
};
const tell = () => {
  const refusedMs = Math.max(0, answeredAt - (refusedAt ?? answeredAt));
  console.log(JSON.stringify({ refused, refusedMs, answeredAt }));
  process.exit();
};
setInterval(attempt, 10);
console.log('trying');
`;

export interface ImpatientClient {
  /** Resolves once a connection came up. */
  firstAnswers(withinMs: number): Promise<FirstAnswers>;
}

export async function startImpatientClient(
  host: Host,
  door: { readonly ip: string; readonly port: number },
): Promise<ImpatientClient> {
  const told = JSON.stringify([door]);
  const argv = [process.execPath, '--input-type=module', '--eval', program, '--', told];
  const started = await host.start(argv, { ready: /^trying$/, readyWithinMs: 10_000 });
  return {
    firstAnswers: async (withinMs) => JSON.parse(await started.line(/^\{/, withinMs)),
  };
}
