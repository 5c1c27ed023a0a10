/** Hints between agents: whom this one believes, what it proves of itself, and how much it listens to at all. */

import { noteSequence } from '../decide/failover/replay-window.ts';
import { type Ip, parseIp } from '../model/ip.ts';
import type { Member } from '../model/member.ts';
import { isProblem } from '../model/parsed.ts';
import { type Prefix, prefixContains } from '../model/prefix.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { decodeHint, encodeHint, type Hint } from '../wire/hint.ts';
import {
  decodeSignedHint,
  encodeSignedHint,
  longestHint,
  peekSigned,
  type SignedHeader,
  type SignedHint,
  splitSigned,
} from '../wire/signed-hint.ts';
import { WireError } from '../wire/wire-error.ts';
import type { Datagrams } from './datagrams.ts';
import { HintLimits } from './hint-limits.ts';
import type { HintListener, HintSender, Hints } from './hints.ts';
import { isSignedBy, type KeyRing, type PeerKey } from './key-ring.ts';
import { PeerSessions } from './peer-sessions.ts';

export interface PeerHintsSetup {
  readonly node: string;
  readonly datagrams: Datagrams;
  readonly keys: KeyRing;
  readonly clock: Clock;
  readonly log: Log;
  /** Of 48 bits, that nobody can guess. */
  readonly drawNumber: () => number;
}

/** What became of packets that arrived. */
export interface HintCounters {
  readonly heard: number;
  /** No hints at all. */
  readonly malformed: number;
  /** By addresses of no member. */
  readonly strangers: number;
  /** Not signed where it had to be, or not by a key of ours. */
  readonly unauthenticated: number;
  readonly replayed: number;
  /** More than is listened to. */
  readonly limited: number;
}

/** Undefined members: the cluster is not known yet. */
export interface PeerFacts {
  readonly own: readonly Prefix[];
  readonly members: readonly Member[] | undefined;
}

type Peers = ReadonlyMap<string, readonly Member[]>;

export class PeerHints implements Hints {
  readonly #setup: PeerHintsSetup;
  readonly #session: number;
  readonly #limits: HintLimits;
  readonly #sessions = new PeerSessions();
  readonly #counters = {
    heard: 0,
    malformed: 0,
    strangers: 0,
    unauthenticated: 0,
    replayed: 0,
    limited: 0,
  };
  /** By each of their addresses. Undefined: not known. */
  #peers: Peers | undefined;
  #members: readonly Member[] | undefined;
  #own: readonly Prefix[] = [];
  /** The others know that this agent can tell what is signed. */
  #isDemanding = false;
  #sequence = 0;
  #listener: HintListener = () => {};

  constructor(setup: PeerHintsSetup) {
    this.#setup = setup;
    this.#session = setup.drawNumber();
    this.#limits = new HintLimits(setup.clock);
    setup.datagrams.listen((bytes, from, at) => this.#hear(bytes, from, at));
  }

  /** Whom to listen to, and where. */
  attend({ own, members }: PeerFacts): void {
    this.#own = own;
    this.#setup.datagrams.attend(own);
    if (members === undefined || isSame(members, this.#members)) return;
    this.#members = members;
    const { node: me } = this.#setup;
    const others = members.filter(({ node }) => node !== me);
    this.#peers = byAddress(others);
    this.#isDemanding = members.some(({ node, peerKeys }) => node === me && peerKeys.length > 0);
    this.#limits.attend(this.#peers);
    this.#sessions.attend(new Set(others.map(({ node }) => node)));
  }

  /** Members that prove what they say, to this agent. */
  get signers(): ReadonlySet<string> {
    if (!this.#isDemanding || this.#setup.keys.names.length === 0) return new Set();
    const signing = (this.#members ?? []).filter(({ peerKeys }) => peerKeys.length > 0);
    return new Set(signing.map(({ node }) => node));
  }

  send(hint: Hint, to: readonly Ip[]): void {
    for (const ip of to) {
      const peer = this.#peers?.get(ip)?.[0];
      const names = peer?.peerKeys ?? [];
      // Agents of an earlier version, and those without a key, understand nothing else.
      const key = names.length === 0 ? undefined : this.#setup.keys.choose(names);
      this.#write(hint, ip, key);
    }
  }

  reply(hint: Hint, { ip, keyId }: HintSender): void {
    this.#write(hint, ip, keyId === undefined ? undefined : this.#setup.keys.find(keyId));
  }

  counters(): HintCounters {
    return { ...this.#counters };
  }

  listen(listener: HintListener): void {
    this.#listener = listener;
  }

  close(): void {
    this.#setup.datagrams.close();
  }

  #write(hint: Hint, receiver: Ip, key: PeerKey | undefined): void {
    const { datagrams, node: sender } = this.#setup;
    if (key === undefined) {
      if (hint.kind !== 'affirmation') datagrams.send(encodeHint(hint), receiver);
      return;
    }
    this.#sequence += 1;
    const { id: keyId, sign } = key;
    const header = { keyId, session: this.#session, sequence: this.#sequence };
    datagrams.send(encodeSignedHint({ ...header, sender, receiver, hint }, sign), receiver);
  }

  #hear(bytes: Uint8Array, from: string, at: Ip): void {
    const peers = this.#peers?.get(from);
    const header = peekSigned(bytes);
    const refusal = this.#refuse(header, from, peers);
    if (refusal !== undefined) {
      this.#counters[refusal] += 1;
      return;
    }
    try {
      this.#read(bytes, header, { from: from as Ip, at, peers });
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.#counters.malformed += 1;
      this.#setup.log.debug('Hint not understood', { from, error });
    }
  }

  /** What costs least comes first: a flood of packets costs a look at where they come from. Undefined: it is read. */
  #refuse(header: SignedHeader | undefined, from: string, peers: Source['peers']) {
    const isStranger = peers === undefined && (this.#peers !== undefined || !this.#isOnLink(from));
    if (isStranger) return 'strangers';
    if (header === undefined && this.#mustSign(peers)) return 'unauthenticated';
    const isKnown = header === undefined || this.#sessions.has(header.session);
    const limit = peers === undefined ? undefined : from;
    return this.#limits.take(limit, isKnown) ? undefined : 'limited';
  }

  #read(bytes: Uint8Array, header: SignedHeader | undefined, source: Source): void {
    if (header === undefined) this.#readUnsigned(bytes, source);
    else this.#readSigned(bytes, header, source);
  }

  #readUnsigned(bytes: Uint8Array, { from, peers }: Source): void {
    if (bytes.length > longestHint) throw new WireError('WIRE_MALFORMED', 'hint: too long');
    const hint = decodeHint(bytes);
    this.#counters.heard += 1;
    const sender = { ip: from, node: peers?.[0]?.node, keyId: undefined };
    if (hint !== undefined) this.#listener(hint, sender);
  }

  /** Whoever says in its Lease that it signs is not believed otherwise. */
  #mustSign(peers: Source['peers']): boolean {
    const isAble = this.#isDemanding && this.#setup.keys.names.length > 0;
    return isAble && peers?.some(({ peerKeys }) => peerKeys.length > 0) === true;
  }

  #readSigned(bytes: Uint8Array, { keyId }: SignedHeader, source: Source): void {
    const { signed, mac } = splitSigned(bytes);
    const key = this.#setup.keys.find(keyId);
    if (key === undefined || !isSignedBy(key, signed, mac)) {
      this.#counters.unauthenticated += 1;
      return;
    }
    const message = decodeSignedHint(bytes);
    if (message === undefined) return;
    if (!this.#isMeant(message, source)) {
      this.#counters.unauthenticated += 1;
      return;
    }
    if (!this.#isNew(message)) {
      this.#counters.replayed += 1;
      return;
    }
    this.#counters.heard += 1;
    this.#listener(message.hint, { ip: source.from, node: message.sender, keyId });
  }

  /** By the member whose address it comes from, to the address that it came to: not one of another, sent on. */
  #isMeant({ sender, receiver }: SignedHint, { at, peers }: Source): boolean {
    if (receiver !== at || sender === this.#setup.node) return false;
    return peers === undefined || peers.some(({ node }) => node === sender);
  }

  #isNew({ sender, session, sequence }: SignedHint): boolean {
    const window = noteSequence(this.#sessions.get(sender, session), sequence);
    if (window !== undefined) this.#sessions.set(sender, session, window);
    return window !== undefined;
  }

  #isOnLink(from: string): boolean {
    const ip = parseIp(from);
    if (isProblem(ip)) return false;
    return this.#own.some((prefix) => prefixContains(prefix, ip.value));
  }
}

interface Source {
  readonly from: Ip;
  readonly at: Ip;
  /** Undefined: the members are not known yet. */
  readonly peers: readonly Member[] | undefined;
}

/** Members renew their Leases every few seconds, and mostly say nothing new. */
function isSame(members: readonly Member[], known: readonly Member[] | undefined): boolean {
  if (members.length !== known?.length) return false;
  return members.every(({ node, links, peerKeys }, index) => {
    const before = known[index];
    return before?.node === node && before.links === links && before.peerKeys === peerKeys;
  });
}

/** One address may be claimed by several: who it is, a signature tells. */
function byAddress(members: readonly Member[]): Peers {
  const entries = members.flatMap((member) =>
    member.links.flatMap(({ addresses }) => addresses.map(({ ip }) => ({ ip, member }))),
  );
  const grouped = Map.groupBy(entries, ({ ip }) => ip);
  return new Map([...grouped].map(([ip, all]) => [ip, all.map(({ member }) => member)]));
}
