import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { ipOf } from '../model/ip.ts';
import { prefixOf } from '../model/prefix.ts';
import { Log } from '../runtime/log.ts';
import { UdpDatagrams } from './udp-datagrams.ts';

const lines: string[] = [];
const log = Log.create({ level: 'warn', sink: (line) => lines.push(line), now: () => 0 });

async function freePort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address() as AddressInfo;
  socket.close();
  return port;
}

/** Sends again and again until it is heard, and says what was heard. */
async function hear(datagrams: UdpDatagrams, say: () => void): Promise<readonly string[]> {
  const { promise, resolve } = Promise.withResolvers<readonly string[]>();
  datagrams.listen((bytes, from, at) => resolve([Buffer.from(bytes).toString(), from, at]));
  const again = setInterval(say, 10);
  return promise.finally(() => clearInterval(again));
}

const say = (socket: Socket, port: number, to: string, text: string) =>
  new Promise((resolve) => {
    socket.send(text, port, to, resolve);
  });

test('what is sent arrives, from the address that is on the receiver’s network', async () => {
  const port = await freePort();
  const datagrams = new UdpDatagrams(log, port);
  try {
    datagrams.attend([prefixOf('127.0.9.1/24'), prefixOf('127.0.0.1/24')]);
    const to = ipOf('127.0.0.1');
    const heard = await hear(datagrams, () => datagrams.send(Buffer.from('hello'), to));
    assert.deepEqual(heard, ['hello', '127.0.0.1', '127.0.0.1']);
    assert.equal(datagrams.counters().failed, 0);
    datagrams.send(Buffer.from('hello'), ipOf('2001:db8::1'));
    assert.equal(datagrams.counters().failed, 1);
  } finally {
    datagrams.close();
  }
});

test('what is sent to any other address of the node, such as a Service’s, is not heard', async () => {
  const port = await freePort();
  const datagrams = new UdpDatagrams(log, port);
  const stranger = createSocket('udp4');
  try {
    datagrams.attend([prefixOf('127.0.0.1/24')]);
    const heard = await hear(datagrams, () => {
      void say(stranger, port, '127.0.0.100', 'to a Service').then(() =>
        say(stranger, port, '127.0.0.1', 'to the node'),
      );
    });
    assert.deepEqual([heard[0], heard[2]], ['to the node', '127.0.0.1']);
    // An address that is no longer the node's own is let go of.
    datagrams.attend([prefixOf('127.0.0.2/24')]);
    const later = await hear(datagrams, () => {
      void say(stranger, port, '127.0.0.1', 'to the node').then(() =>
        say(stranger, port, '127.0.0.2', 'to its new address'),
      );
    });
    assert.deepEqual([later[0], later[2]], ['to its new address', '127.0.0.2']);
  } finally {
    stranger.close();
    datagrams.close();
  }
});

test('an address that cannot be listened on is reported once and tried again', async () => {
  const port = await freePort();
  const datagrams = new UdpDatagrams(log, port);
  try {
    lines.length = 0;
    for (let turn = 0; turn < 3; turn++) {
      datagrams.attend([prefixOf('198.51.100.77/24'), prefixOf('fe80::1/64')]);
      await new Promise((resolve) => {
        setTimeout(resolve, 30);
      });
    }
    assert.equal(lines.filter((line) => line.includes('Hints cannot be heard')).length, 1);
    assert.match(lines.join(''), /198\.51\.100\.77/);
  } finally {
    datagrams.close();
  }
});
