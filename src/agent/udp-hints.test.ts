import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { type Ip, ipOf } from '../model/ip.ts';
import { Log } from '../runtime/log.ts';
import type { Hint } from '../wire/hint.ts';
import { UdpHints } from './udp-hints.ts';

const log = Log.create({ level: 'error', sink: () => {}, now: () => 0 });

async function freePort(): Promise<number> {
  const socket = createSocket('udp4').bind(0);
  await once(socket, 'listening');
  const { port } = socket.address() as AddressInfo;
  socket.close();
  return port;
}

test('a hint arrives as it was sent, with where an answer goes, and rubbish does no harm', async () => {
  const port = await freePort();
  const hints = new UdpHints(log, port);
  const stranger = createSocket('udp4');
  try {
    const heard = new Promise<readonly [Hint, Ip | undefined]>((resolve) => {
      hints.listen((...said) => resolve(said));
    });
    stranger.send(Buffer.from('rubbish'), port, '127.0.0.1');
    const hint = { kind: 'silent', holder: 'node1' } as const;
    const again = setInterval(() => hints.send(hint, [ipOf('127.0.0.1')]), 10);
    assert.deepEqual(await heard, [hint, ipOf('127.0.0.1')]);
    clearInterval(again);
  } finally {
    stranger.close();
    hints.close();
  }
});
