/** Runs on a client host: keeps connections open, talks on them, and, told to end, prints its report. */

import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../monotonic.ts';
import { print, untilTold } from './measurement-program.ts';
import { StallWatch } from './stalls.ts';
import type { TcpClientConfig } from './tcp-client.ts';
import { type ConnectionLife, type Exchange, reportOnTcp } from './tcp-report.ts';

const config = JSON.parse(process.argv[2] ?? '{}') as TcpClientConfig;
const { to, port, connections, everyMs, stallAfterMs, connectWithinMs, durationMs } = config;

const lives: ConnectionLife[] = [];
const answers: Record<string, number> = {};
const stallWatch = new StallWatch(20);
const ending = new AbortController();
/** When each of the connections, by its number, was echoed last. */
const echoes = new Map<number, number>();
let open = 0;

/** Connects, talks until the connection ends or we do, and records it. */
async function live(connection: number): Promise<void> {
  const triedAt = monotonicMs();
  const socket = connect({ host: to, port, noDelay: true });
  const ended = endOf(socket);
  const exchanges: Exchange[] = [];
  const openedAt = await opened(socket);
  if (openedAt !== undefined) {
    open += 1;
    talk(connection, socket, exchanges);
  }
  const reason = await ended;
  if (openedAt !== undefined) open -= 1;
  lives.push({
    connection,
    triedAt,
    ...(openedAt === undefined ? {} : { openedAt }),
    endedAt: monotonicMs(),
    ...(reason === undefined ? {} : { endedBy: reason }),
    exchanges,
  });
}

/** When the connection came up; undefined if it did not in time. */
async function opened(socket: Socket): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const timer = setTimeout(
    () => socket.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })),
    connectWithinMs,
  );
  socket.once('connect', () => resolve(monotonicMs())).once('close', () => resolve(undefined));
  return promise.finally(() => clearTimeout(timer));
}

/** An error code, `closed`, or undefined if we ended it. */
async function endOf(socket: Socket): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const stop = () => {
    resolve(undefined);
    socket.destroy();
  };
  if (ending.signal.aborted) stop();
  ending.signal.addEventListener('abort', stop, { once: true });
  socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  socket.once('close', () => resolve('closed'));
  return promise.finally(() => ending.signal.removeEventListener('abort', stop));
}

/** A numbered line every so often; TCP brings the echoes back in order. */
function talk(connection: number, socket: Socket, exchanges: Exchange[]): void {
  const say = () => {
    if (!socket.writable) return;
    socket.write(`${exchanges.length}\n`);
    exchanges.push({ sentAt: monotonicMs() });
  };
  const timer = setInterval(say, everyMs);
  socket.once('close', () => clearInterval(timer));
  // The socket's errors, which readline passes on, are for `endOf`.
  const lines = createInterface({ input: socket }).on('error', () => {});
  lines.on('line', (line) => {
    const [number = '', responder = '?'] = line.split(' ');
    const exchange = exchanges[Number(number)];
    if (exchange === undefined) return;
    const echoedAt = monotonicMs();
    exchanges[Number(number)] = { ...exchange, echoedAt };
    echoes.set(connection, echoedAt);
    answers[responder] = (answers[responder] ?? 0) + 1;
  });
  say();
}

async function keepAlive(connection: number): Promise<void> {
  while (!ending.signal.aborted) {
    await live(connection);
    await sleep(50, undefined, { signal: ending.signal }).catch(() => {});
  }
}

function progress() {
  const echoed = Object.values(answers).reduce((sum, count) => sum + count, 0);
  const since = monotonicMs() - everyMs - stallAfterMs;
  const talking = [...echoes.values()].filter((at) => at >= since).length;
  return { open, echoed, talking };
}

const told = untilTold();
const startedAt = monotonicMs();
const timer = setInterval(() => {
  stallWatch.turn(monotonicMs());
  if (told.isOver || monotonicMs() - startedAt >= durationMs) ending.abort();
}, 2);
const heartbeat = setInterval(() => print({ progress: progress() }), 100);
const all = Array.from({ length: connections }, (_, connection) => keepAlive(connection));
print({ ready: true });
await Promise.all(all);
clearInterval(timer);
clearInterval(heartbeat);
print({ report: reportOnTcp({ lives, answers, stallAfterMs, ownStalls: stallWatch.stalls }) });
