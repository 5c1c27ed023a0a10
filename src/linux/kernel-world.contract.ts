/** What the contract tests of `Kernel` stand on, and the words they are written in. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../lab/eventually.ts';
import type { AddressChange, HeldAddress, WantedAddress } from '../model/address.ts';
import type { Family } from '../model/ip.ts';
import { prefixOf } from '../model/prefix.ts';
import { describeAddress } from './describe-address.ts';
import type { ChangeFailure, Kernel, KernelEvent } from './kernel.ts';

/** A kernel with only `lo`, and what others can do to it. */
export interface KernelWorld {
  readonly kernel: Kernel;
  /** A pair of links, both up. */
  addVeth(name: string, peer: string): void;
  /** A link, down, of a kind that `ensureVirtualLink` could have made. */
  addVirtual(name: string): void;
  /** False if this kernel has no bridges. */
  addBridge(name: string): boolean;
  removeLink(name: string): void;
  /** Of a link that is up. */
  renameLink(name: string, newName: string): void;
  setUp(name: string, isUp: boolean): void;
  /** Someone else's address, without our mark. */
  addForeign(link: string, prefix: string): void;
  removeAddress(link: string, prefix: string): void;
  /** Sets the sysctl that lets secondaries outlive their primary. */
  promoteSecondaries(): void;
  /** Until duplicate address detection is over. */
  waitForDad(): Promise<void>;
  wait(seconds: number): Promise<void>;
}

/** Thrown by a world whose kernel is too old or too small for what is asked of it: the test is skipped, visibly. */
export class NotOnThisKernel extends Error {}

export interface KernelContract {
  readonly name: string;
  readonly makeWorld: () => KernelWorld;
  readonly skip: string | false;
}

/** Runs a test in a world of its own. */
export function inWorld(
  { makeWorld, skip }: KernelContract,
  sentence: string,
  run: (world: KernelWorld) => Promise<void>,
): void {
  test(sentence, { skip }, async (context) => {
    const world = makeWorld();
    try {
      await run(world);
    } catch (error) {
      if (!(error instanceof NotOnThisKernel)) throw error;
      context.skip(error.message);
    } finally {
      world.kernel.close();
    }
  });
}

/** Addresses of either family for the same test: `host` is a prefix of one address alone. */
export interface Samples {
  readonly family: Family;
  readonly one: string;
  readonly two: string;
  readonly host: string;
  readonly network: string;
}

export const samples: readonly Samples[] = [
  {
    family: 'ipv4',
    one: '192.0.2.1/24',
    two: '192.0.2.2/24',
    host: '198.51.100.1/32',
    network: '192.0.2.0/24',
  },
  {
    family: 'ipv6',
    one: '2001:db8::1/64',
    two: '2001:db8::2/64',
    host: '2001:db8:ff::1/128',
    network: '2001:db8::/64',
  },
];

export function wanted(
  link: string,
  prefix: string,
  more: Partial<WantedAddress> = {},
): WantedAddress {
  const { ip, length } = prefixOf(prefix);
  return {
    link,
    ip,
    prefixLength: length,
    validSeconds: 300,
    preferredSeconds: 300,
    noPrefixRoute: true,
    noDad: true,
    ...more,
  };
}

export const forEver = { validSeconds: Infinity, preferredSeconds: Infinity };

export function add(
  link: string,
  prefix: string,
  more: Partial<WantedAddress> = {},
): AddressChange {
  return { kind: 'add', address: wanted(link, prefix, more) };
}

export function refresh(
  link: string,
  prefix: string,
  more: Partial<WantedAddress> = {},
): AddressChange {
  return { kind: 'refresh', address: wanted(link, prefix, more) };
}

export function remove(link: string, prefix: string): AddressChange {
  return { kind: 'remove', address: wanted(link, prefix) };
}

/** Applies changes that must all succeed. */
export async function succeed(kernel: Kernel, ...changes: readonly AddressChange[]): Promise<void> {
  assert.deepEqual(await kernel.apply(changes), []);
}

/** `remove 192.0.2.1: ForeignAddress`, with the errno where there is one. */
export function describeFailure({ change, code, errno }: ChangeFailure): string {
  const reason = errno === undefined ? code : `${code} ${errno}`;
  return `${change.kind} ${change.address.ip}: ${reason}`;
}

/**
 * The addresses from documentation ranges as sorted lines. Lifetimes are rounded to ten seconds: on a real kernel they
 * run on while the test does.
 */
export async function state(kernel: Kernel): Promise<readonly string[]> {
  const addresses = (await kernel.addresses()).filter(isSample);
  return addresses.map((address) => describeAddress(rounded(address))).sort();
}

function isSample({ ip }: HeldAddress): boolean {
  return /^(192\.0\.2|198\.51\.100|203\.0\.113)\.|^2001:db8:/.test(ip);
}

function rounded(address: HeldAddress): HeldAddress {
  return { ...address, validSeconds: Math.round(address.validSeconds / 10) * 10 };
}

/** Destinations of routes in documentation ranges, with metric and link. */
export async function routeState(kernel: Kernel): Promise<readonly string[]> {
  const names = new Map((await kernel.links()).map(({ index, name }) => [index, name]));
  return (await kernel.routes())
    .flatMap(({ destination, nextHops, metric }) => {
      if (destination === undefined || !/^(192\.0|198\.51|203\.0|2001:db8)/.test(destination.ip)) {
        return [];
      }
      const links = nextHops.map(({ linkIndex = 0 }) => names.get(linkIndex));
      return [`${destination.ip}/${destination.prefixLength} ${links.join()} metric ${metric}`];
    })
    .sort();
}

export function describeEvent(event: KernelEvent): string {
  switch (event.kind) {
    case 'resync':
      return event.kind;
    case 'link-added':
    case 'link-changed':
    case 'link-removed':
      return `${event.kind} ${event.link.name}`;
    case 'address-added':
    case 'address-removed':
      return `${event.kind} ${describeAddress(rounded(event.address))}`;
    case 'route-added':
    case 'route-removed':
      return `${event.kind} ${event.route.destination?.ip ?? 'default'}`;
    default:
      return event satisfies never;
  }
}

/** Listens until `stop`; `sees` waits up to two seconds for events, in any order. */
export function listen(kernel: Kernel) {
  const log: string[] = [];
  const stop = kernel.changes((event) => {
    log.push(describeEvent(event));
  });
  const sees = async (...lines: readonly string[]) => {
    await eventually(
      () =>
        assert.deepEqual(
          lines.filter((line) => !log.includes(line)),
          [],
          `in ${log.join('; ')}`,
        ),
      { withinMs: 2000, everyMs: 5 },
    );
  };
  return { log, stop, sees };
}
