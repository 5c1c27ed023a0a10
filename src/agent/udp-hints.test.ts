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

const countedWith = (malformed: number) => ({ sent: 'some', heard: 'some', failed: 0, malformed });

test('a hint arrives as it was sent, with where an answer goes, and rubbish does no harm', async () => {
  const port = await freePort();
  const hints = new UdpHints(log, port);
  const stranger = createSocket('udp4');
  try {
    const exchange = async (holder: string) => {
      const { promise, resolve } = Promise.withResolvers<readonly [Hint, Ip | undefined]>();
      hints.listen((hint, from) => {
        if (hint.kind === 'silent' && hint.holder === holder) resolve([hint, from]);
      });
      const say = () => hints.send({ kind: 'silent', holder }, [ipOf('127.0.0.1')]);
      const again = setInterval(say, 10);
      return promise.finally(() => clearInterval(again));
    };
    const heard = (holder: string) => [{ kind: 'silent', holder }, ipOf('127.0.0.1')];
    assert.deepEqual(await exchange('node1'), heard('node1'));
    await new Promise((resolve) => {
      stranger.send(Buffer.from('rubbish'), port, '127.0.0.1', resolve);
    });
    assert.deepEqual(await exchange('node2'), heard('node2'));
    assert.deepEqual({ ...hints.counters(), sent: 'some', heard: 'some' }, countedWith(1));
  } finally {
    stranger.close();
    hints.close();
  }
});
