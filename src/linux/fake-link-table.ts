/** The links of a fake kernel. */

import type { Link, OperState } from '../model/link.ts';
import { type Mac, macFromBytes } from '../model/mac.ts';

export interface FakeLinkSpec {
  readonly name: string;
  readonly kind?: string;
  readonly mac?: Mac;
  readonly mtu?: number;
  /** Default: up. */
  readonly isUp?: boolean;
  /** The other end of a veth pair, which must exist already. */
  readonly peer?: string;
  readonly master?: string;
}

interface FakeLink {
  readonly index: number;
  name: string;
  readonly kind: string | undefined;
  readonly mac: Mac | undefined;
  readonly mtu: number;
  isUp: boolean;
  isCut: boolean;
  peer: FakeLink | undefined;
  readonly masterIndex: number | undefined;
}

const noArpKinds = new Set(['dummy', 'ifb']);

export class FakeLinkTable {
  readonly #links = new Map<number, FakeLink>();
  #lastIndex = 0;

  add({ name, kind, mac, mtu = 1500, isUp = true, peer, master }: FakeLinkSpec): Link {
    if (this.find(name) !== undefined) throw new Error(`link ${name} exists`);
    const index = ++this.#lastIndex;
    const link: FakeLink = {
      index,
      name,
      kind: peer === undefined ? kind : 'veth',
      mac:
        name === 'lo'
          ? undefined
          : (mac ?? macFromBytes(Uint8Array.of(2, 0, 0x5e, 0x10, 0, index))),
      mtu: name === 'lo' ? 65536 : mtu,
      isUp,
      isCut: false,
      peer: peer === undefined ? undefined : this.#get(peer),
      masterIndex: master === undefined ? undefined : this.#get(master).index,
    };
    if (link.peer !== undefined) link.peer.peer = link;
    this.#links.set(index, link);
    return view(link);
  }

  find(name: string): Link | undefined {
    for (const link of this.#links.values()) if (link.name === name) return view(link);
    return undefined;
  }

  list(): readonly Link[] {
    return [...this.#links.values()].map(view);
  }

  nameOf(index: number): string | undefined {
    return this.#links.get(index)?.name;
  }

  peerOf(index: number): number | undefined {
    return this.#links.get(index)?.peer?.index;
  }

  /** The indexes of what went: a veth takes its other end along. */
  remove(name: string): readonly number[] {
    const link = this.#get(name);
    const gone = link.peer === undefined ? [link.index] : [link.index, link.peer.index];
    for (const index of gone) this.#links.delete(index);
    return gone;
  }

  rename(name: string, newName: string): void {
    this.#get(name).name = newName;
  }

  setUp(name: string, isUp: boolean): Link {
    const link = this.#get(name);
    link.isUp = isUp;
    return view(link);
  }

  setCarrier(name: string, hasCarrier: boolean): void {
    this.#get(name).isCut = !hasCarrier;
  }

  #get(name: string): FakeLink {
    for (const link of this.#links.values()) if (link.name === name) return link;
    throw new Error(`no link ${name}`);
  }
}

function view(link: FakeLink): Link {
  const { index, name, kind, mac, mtu, isUp, masterIndex } = link;
  return {
    index,
    name,
    ...(kind !== undefined && { kind }),
    ...(mac !== undefined && { mac }),
    mtu,
    isUp,
    hasCarrier: hasCarrier(link),
    operState: operState(link),
    isLoopback: name === 'lo',
    isNoArp: kind !== undefined && noArpKinds.has(kind),
    ...(masterIndex !== undefined && { masterIndex }),
  };
}

/** A veth carries frames only while its other end is up too. */
function hasCarrier({ isUp, isCut, peer }: FakeLink): boolean {
  return isUp && !isCut && (peer?.isUp ?? true);
}

function operState(link: FakeLink): OperState {
  if (!link.isUp) return 'down';
  if (!hasCarrier(link)) return link.peer === undefined ? 'down' : 'lower-layer-down';
  const isVirtual = link.name === 'lo' || (link.kind !== undefined && noArpKinds.has(link.kind));
  return isVirtual ? 'unknown' : 'up';
}
