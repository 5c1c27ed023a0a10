import assert from 'node:assert/strict';
import { test } from 'node:test';
import { member } from '../decide/announcement/cluster.fixture.ts';
import { type Ip, ipOf } from '../model/ip.ts';
import type { Member } from '../model/member.ts';
import { prefixOf } from '../model/prefix.ts';
import { Log } from '../runtime/log.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import type { Hint } from '../wire/hint.ts';
import { encodeHint } from '../wire/hint.ts';
import type { DatagramListener } from './datagrams.ts';
import type { HintSender } from './hints.ts';
import { KeyRing, makeKey } from './key-ring.ts';
import { PeerHints } from './peer-hints.ts';

const log = Log.create({ level: 'error', sink: () => {}, now: () => 0 });
const secret = (fill: number) => new Uint8Array(32).fill(fill);
const name = (fill: number) => makeKey(secret(fill)).name;
const ips = { a: ipOf('192.0.2.11'), b: ipOf('192.0.2.12'), c: ipOf('192.0.2.13') } as const;
type Node = keyof typeof ips;
const vip = ipOf('192.0.2.100');
const question = { kind: 'question', ip: vip, number: 7 } as const;
const silent = { kind: 'silent', holder: 'c' } as const;

interface Packet {
  readonly bytes: Uint8Array;
  readonly from: string;
  readonly to: Ip;
}

function memberOf(node: Node, keys: readonly number[]): Member {
  const addresses = [prefixOf(`${ips[node]}/24`)];
  const links = [{ name: 'eth0', macs: [], addresses, gateways: [] }];
  return member(node, { links, peerKeys: keys.map(name) });
}

/** Agents that hear each other, and what each of them was told. */
class Wire {
  readonly clock = new ManualClock();
  readonly sent: Packet[] = [];
  readonly heard: (readonly [string, Hint, HintSender])[] = [];
  readonly #listeners = new Map<Ip, DatagramListener>();
  #numbers = 1;

  open(node: Node, keys: readonly number[], members: readonly Member[] | undefined): PeerHints {
    const ring = new KeyRing();
    const [key, previous] = keys.map(secret);
    ring.note({ key, previous }, 0);
    const datagrams = {
      attend: () => {},
      send: (bytes: Uint8Array, to: Ip) => this.carry({ bytes, from: ips[node], to }),
      listen: (listener: DatagramListener) => this.#listeners.set(ips[node], listener),
      close: () => {},
    };
    const drawNumber = () => this.#numbers++;
    const hints = new PeerHints({
      node,
      datagrams,
      keys: ring,
      clock: this.clock,
      log,
      drawNumber,
    });
    hints.listen((hint, sender) => this.heard.push([node, hint, sender]));
    hints.attend({ own: [prefixOf(`${ips[node]}/24`)], members });
    return hints;
  }

  carry(packet: Packet): void {
    this.sent.push(packet);
    this.#listeners.get(packet.to)?.(packet.bytes, packet.from, packet.to);
  }

  get last(): Packet {
    const packet = this.sent.at(-1);
    assert.ok(packet !== undefined);
    return packet;
  }
}

function pair(keysOfA: readonly number[], keysOfB: readonly number[]) {
  const wire = new Wire();
  const members = [memberOf('a', keysOfA), memberOf('b', keysOfB)];
  const a = wire.open('a', keysOfA, members);
  const b = wire.open('b', keysOfB, members);
  return { wire, members, a, b };
}

const counted = (hints: PeerHints) =>
  Object.fromEntries(Object.entries(hints.counters()).filter(([, count]) => count > 0));

test('with a key a question is heard as its sender’s, and so is the answer', () => {
  const { wire, a, b } = pair([1], [1]);
  a.send(question, [ips.b]);
  const { id: keyId } = makeKey(secret(1));
  const [, , sender] = wire.heard[0] ?? assert.fail();
  assert.deepEqual(wire.heard[0], ['b', question, { ip: ips.a, node: 'a', keyId }]);
  const affirmation = { kind: 'affirmation', ip: vip, number: 7, isSure: true } as const;
  b.reply(affirmation, sender);
  assert.deepEqual(wire.heard[1], ['a', affirmation, { ip: ips.b, node: 'b', keyId }]);
  assert.deepEqual([...a.signers, ...b.signers], ['a', 'b', 'a', 'b']);
});

test('without a key everything is said unsigned, and nothing is affirmed', () => {
  for (const keys of [
    [[], []],
    [[1], []],
    [[], [1]],
  ] as const) {
    const { wire, a, b } = pair(keys[0], keys[1]);
    a.send(question, [ips.b]);
    assert.deepEqual(wire.heard, [['b', question, { ip: ips.a, node: 'a', keyId: undefined }]]);
    const [, , sender] = wire.heard[0] ?? assert.fail();
    b.reply({ ...question, kind: 'affirmation', isSure: true }, sender);
    assert.equal(wire.sent.length, 1);
    b.reply({ ...question, kind: 'denial' }, sender);
    assert.deepEqual(wire.heard[1]?.[1], { kind: 'denial', number: 7, ip: undefined });
  }
});

test('who says that it signs is not believed unsigned', () => {
  const { wire, b } = pair([1], [1]);
  wire.carry({ bytes: encodeHint(question), from: ips.a, to: ips.b });
  assert.deepEqual([wire.heard, counted(b)], [[], { unauthenticated: 1 }]);
});

test('an agent whose own Lease does not tell yet that it can verify is still spoken to unsigned', () => {
  const wire = new Wire();
  const b = wire.open('b', [1], [memberOf('a', [1]), memberOf('b', [])]);
  wire.carry({ bytes: encodeHint(question), from: ips.a, to: ips.b });
  assert.equal(wire.heard.length, 1);
  assert.equal(b.signers.size, 0);
});

test('a packet of a stranger is not even looked into, whatever it says', () => {
  const { wire, a, b } = pair([1], [1]);
  a.send(question, [ips.b]);
  const { bytes } = wire.last;
  for (const from of ['192.0.2.99', '198.51.100.1', 'fe80::1%eth0', ips.b]) {
    wire.carry({ bytes, from, to: ips.b });
    wire.carry({ bytes: encodeHint(question), from, to: ips.b });
  }
  assert.deepEqual([wire.heard.length, counted(b)], [1, { heard: 1, strangers: 8 }]);
});

test('a packet that was recorded is heard once, of whichever process of the sender', () => {
  const { wire, members, a, b } = pair([1], [1]);
  a.send(question, [ips.b]);
  const recorded = wire.last;
  wire.carry(recorded);
  const again = wire.open('a', [1], members);
  again.send(silent, [ips.b]);
  wire.carry(recorded);
  wire.carry(wire.sent.at(-2) ?? recorded);
  assert.deepEqual([wire.heard.length, counted(b)], [2, { heard: 2, replayed: 3 }]);
});

test('a packet for one agent, or by one, is nothing to or by another', () => {
  const wire = new Wire();
  const members = [memberOf('a', [1]), memberOf('b', [1]), memberOf('c', [1])];
  const [a, b, c] = (['a', 'b', 'c'] as const).map((node) => wire.open(node, [1], members));
  a?.send(question, [ips.b]);
  const { bytes } = wire.last;
  wire.carry({ bytes, from: ips.a, to: ips.c });
  wire.carry({ bytes, from: ips.c, to: ips.b });
  wire.carry({ bytes, from: ips.b, to: ips.a });
  assert.equal(wire.heard.length, 1);
  const counts = [a, b, c].map((each) => each && counted(each));
  const refused = { unauthenticated: 1 };
  assert.deepEqual(counts, [refused, { heard: 1, ...refused }, refused]);
});

test('a packet that was changed, cut or signed with another key is nothing', () => {
  const { wire, a, b } = pair([1], [1]);
  a.send(question, [ips.b]);
  const { bytes } = wire.last;
  for (const at of [5, 9, 15, 21, bytes.length - 1]) {
    const changed = bytes.slice();
    changed[at] = (changed[at] ?? 0) ^ 1;
    wire.carry({ bytes: changed, from: ips.a, to: ips.b });
  }
  wire.carry({ bytes: bytes.subarray(0, 50), from: ips.a, to: ips.b });
  const forger = new Wire();
  forger.open('a', [9], [memberOf('a', [9]), memberOf('b', [9])]).send(question, [ips.b]);
  wire.carry(forger.last);
  assert.deepEqual([wire.heard.length, counted(b)], [1, { heard: 1, unauthenticated: 7 }]);
});

test('while keys are rotated, each is written to with the newest key that it has', () => {
  const { wire, a, b } = pair([2, 1], [1]);
  a.send(question, [ips.b]);
  b.send(question, [ips.a]);
  const { id } = makeKey(secret(1));
  assert.deepEqual(
    wire.heard.map(([node, , { keyId }]) => [node, keyId]),
    [
      ['b', id],
      ['a', id],
    ],
  );
});

test('before the cluster is known whoever is on the network may ask, and proves who it is if it can', () => {
  const wire = new Wire();
  const members = [memberOf('a', [1]), memberOf('b', [1])];
  const a = wire.open('a', [1], members);
  const b = wire.open('b', [1], undefined);
  a.send(question, [ips.b]);
  wire.carry({ bytes: encodeHint(question), from: '192.0.2.99', to: ips.b });
  wire.carry({ bytes: encodeHint(question), from: '198.51.100.1', to: ips.b });
  assert.deepEqual(
    wire.heard.map(([, , { node }]) => node),
    ['a', undefined],
  );
  assert.deepEqual(counted(b), { heard: 2, strangers: 1 });
});

test('a flood in one member’s name does not keep that member, nor others, from being heard', async () => {
  const wire = new Wire();
  const members = [memberOf('a', [1]), memberOf('b', [1]), memberOf('c', [1])];
  const [a, b, c] = (['a', 'b', 'c'] as const).map((node) => wire.open(node, [1], members));
  a?.send(question, [ips.b]);
  const forged = wire.last.bytes.slice();
  forged[12] = 0xff;
  for (let turn = 0; turn < 50_000; turn++) {
    if (turn % 50 === 0) await wire.clock.advance(1);
    wire.carry({ bytes: forged, from: ips.a, to: ips.b });
  }
  const { unauthenticated = 0, limited = 0 } = b?.counters() ?? {};
  assert.ok(unauthenticated <= 250, `${unauthenticated} were verified`);
  assert.equal(unauthenticated + limited, 50_000);
  wire.heard.length = 0;
  a?.send(question, [ips.b]);
  c?.send(question, [ips.b]);
  assert.equal(wire.heard.length, 2);
});
