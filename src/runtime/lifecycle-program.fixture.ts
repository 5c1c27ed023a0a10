/** A real program for lifecycle-process.test.ts; its argument says what goes wrong. */

import { createServer } from 'node:net';
import { sleep } from './clock.ts';
import { Lifecycle } from './lifecycle.ts';
import { Log } from './log.ts';
import { SystemClock } from './system-clock.ts';

const trouble = process.argv[2];
const log = Log.create();
const clock = new SystemClock();
const lifecycle = new Lifecycle({ log, clock, stopLimitMs: 100 });

await lifecycle.run(async () => {
  const server = createServer().listen(0, '127.0.0.1');
  lifecycle.onStop('server', () => {
    server.close();
    log.info('Closed the server');
  });
  lifecycle.onStop('reconciler', async () => {
    await sleep(clock, 5);
    log.info('Stopped the reconciler');
  });
  if (trouble === 'hangs') lifecycle.onStop('hangs', () => new Promise(() => {}));
  if (trouble === 'hangs long') lifecycle.onStop('hangs', () => new Promise(() => {}), 60_000);
  if (trouble === 'rejects') lifecycle.background('watch', Promise.reject(new Error('lost')));
  if (trouble === 'throws') clock.after(0, () => void JSON.parse('{'));
  if (trouble === 'forgets') void Promise.reject(new Error('forgotten'));
  log.info('Started');
});
