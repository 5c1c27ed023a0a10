import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Link } from '../model/link.ts';
import { frames } from '../wire/netlink-frames.fixture.ts';
import type { KernelEvent } from './kernel.ts';
import { KernelEvents } from './kernel-events.ts';
import { errno } from './libc.ts';
import { datagram, ScriptedSocket } from './scripted-socket.fixture.ts';

function link(index: number, name: string): Link {
  return {
    index,
    name,
    mtu: 1500,
    isUp: true,
    hasCarrier: true,
    operState: 'up',
    isLoopback: false,
    isNoArp: false,
  };
}

function describe(event: KernelEvent): string {
  switch (event.kind) {
    case 'resync':
      return 'resync';
    case 'link-added':
    case 'link-changed':
    case 'link-removed':
      return `${event.kind} ${event.link.name}`;
    case 'address-added':
    case 'address-removed': {
      const { ip, link: name, hasFailedDad } = event.address;
      return `${event.kind} ${ip} on ${name}${hasFailedDad ? ', failed' : ''}`;
    }
    case 'route-added':
    case 'route-removed':
      return `${event.kind} ${event.route.destination?.ip ?? 'default'}`;
    default:
      return event satisfies never;
  }
}

async function start(readLinks: () => Promise<readonly Link[]>, now = () => 0) {
  const log: string[] = [];
  const socket = new ScriptedSocket(() => []);
  const events = new KernelEvents({
    socket,
    readLinks,
    listener: (event) => log.push(describe(event)),
    now,
  });
  await events.start();
  return { log, socket, events };
}

const links = async () => [link(2, 'veth1'), link(3, 'veth0'), link(5, 'kube-lb0')];

test('tells of addresses by the name of their link', async () => {
  const { log, socket } = await start(links);
  socket.deliver(frames.eventAddressAdded, frames.eventAddressRemoved, frames.eventDadFailed);
  assert.deepEqual(log, [
    'address-added 192.0.2.77 on kube-lb0',
    'address-removed 192.0.2.77 on kube-lb0',
    'address-removed 2001:db8::99 on veth1, failed',
  ]);
});

test('tells new links from changed ones, and knows the names of new ones', async () => {
  const { log, socket } = await start(async () => [link(3, 'veth0')]);
  socket.deliver(frames.linkIfb, frames.linkIfb, frames.linkPort, frames.eventAddressAdded);
  assert.deepEqual(log, [
    'link-added kube-lb0',
    'link-changed kube-lb0',
    'link-changed veth0',
    'address-added 192.0.2.77 on kube-lb0',
  ]);
});

test('a link that is new is told so, even if it was among those read meanwhile', async () => {
  const { log, socket } = await start(links);
  const created = frames.linkIfb.slice();
  created.fill(0xff, 16 + 12, 16 + 16);
  socket.deliver(created);
  assert.deepEqual(log, ['link-added kube-lb0']);
});

test('a port that leaves its bridge is not a removed link', async () => {
  const { log, socket } = await start(links);
  socket.deliver(frames.eventPortLeft, frames.eventLinkRemoved);
  assert.deepEqual(log, ['link-removed ifb7']);
});

test('tells of routes, but not of the local table', async () => {
  const { log, socket } = await start(links);
  const removed = frames.routeConnected4.slice();
  removed[4] = 25;
  socket.deliver(frames.routeDefault4, frames.routeLocal, removed);
  assert.deepEqual(log, ['route-added default', 'route-removed 192.0.2.0']);
});

test('unknown messages are passed over', async () => {
  const { log, socket } = await start(links);
  socket.deliver(datagram({ type: 4711 }), frames.eventAddressAdded);
  assert.deepEqual(log, ['address-added 192.0.2.77 on kube-lb0']);
});

const losses = [
  ['the kernel had no room', errno.ENOBUFS],
  ['a datagram was cut off', new Uint8Array(70_000)],
  ['a datagram cannot be read', Uint8Array.of(1, 2, 3)],
  ['a message cannot be read', datagram({ type: 20, body: Uint8Array.of(2) })],
] as const;

for (const [name, delivery] of losses) {
  test(`when ${name}, one resync follows what could be read, and later events still come`, async () => {
    const { log, socket } = await start(links);
    socket.deliver(delivery, frames.eventAddressAdded, delivery, frames.eventAddressRemoved);
    await nextTurn();
    socket.deliver(frames.eventAddressAdded);
    await nextTurn();
    assert.deepEqual(log, [
      'address-added 192.0.2.77 on kube-lb0',
      'address-removed 192.0.2.77 on kube-lb0',
      'resync',
      'address-added 192.0.2.77 on kube-lb0',
    ]);
  });
}

test('a resync reads the links anew before it says so', async () => {
  let round = 0;
  const { log, socket } = await start(async () => {
    round += 1;
    return round === 1 ? [] : [link(5, 'renamed')];
  });
  socket.deliver(errno.ENOBUFS);
  await nextTurn();
  socket.deliver(frames.eventAddressAdded);
  assert.deepEqual(log, ['resync', 'address-added 192.0.2.77 on renamed']);
});

test('an address on a link nobody heard of asks for a resync; its removal says nothing', async () => {
  const { log, socket } = await start(async () => []);
  socket.deliver(frames.eventAddressRemoved);
  await nextTurn();
  assert.deepEqual(log, []);
  socket.deliver(frames.eventAddressAdded);
  await nextTurn();
  assert.deepEqual(log, ['resync']);
});

test('links that cannot be read are read again at the first need', async () => {
  let round = 0;
  const { log, socket } = await start(async () => {
    round += 1;
    if (round === 1) throw new Error('interrupted');
    return links();
  });
  socket.deliver(frames.eventAddressAdded);
  await nextTurn();
  socket.deliver(frames.eventAddressAdded);
  assert.deepEqual(log, ['resync', 'address-added 192.0.2.77 on kube-lb0']);
});

test('nothing is told after it was stopped, not even from what was received already', async () => {
  const log: string[] = [];
  const socket = new ScriptedSocket(() => []);
  const events = new KernelEvents({
    socket,
    readLinks: links,
    listener: (event) => {
      log.push(describe(event));
      events.stop();
    },
  });
  await events.start();
  socket.deliver(frames.addressDump, frames.eventAddressAdded);
  events.stop();
  assert.equal(log.length, 1);
  assert.deepEqual([socket.isClosed, socket.isPolled], [true, false]);
});

test('stopped while it starts or resyncs, it never polls again', async () => {
  const socket = new ScriptedSocket(() => []);
  const events = new KernelEvents({ socket, readLinks: links, listener: () => assert.fail() });
  const started = events.start();
  events.stop();
  await started;
  assert.equal(socket.isPolled, false);

  const { log, socket: second, events: others } = await start(links);
  second.deliver(errno.ENOBUFS);
  others.stop();
  await nextTurn();
  assert.deepEqual([log, second.isPolled], [[], false]);
});

test('a loss is told even if the turn ends with it and nothing more comes', async () => {
  let time = 0;
  const { log, socket } = await start(links, () => {
    time += 100;
    return time;
  });
  socket.deliver(errno.ENOBUFS);
  await nextTurn();
  assert.deepEqual(log, ['resync']);
});
