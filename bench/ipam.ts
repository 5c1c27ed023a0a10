/** Addresses from elsewhere: what one costs in requests and time, 500 at once, and how outages go. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Fate } from '../lab/netbox/memory-transport.ts';
import { setUpNetbox, tenant } from '../lab/netbox/set-up.ts';
import { type RunningNetbox, startNetbox } from '../lab/netbox/start-netbox.ts';
import { PoolBook } from '../lab/sidecar/pool-book.ts';
import { startSidecar } from '../lab/sidecar/start-sidecar.ts';
import type { AddressSource } from '../src/ipam/address-source.ts';
import { ExternalSource } from '../src/ipam/external-source.ts';
import { NetboxRoom } from '../src/ipam/netbox-room.fixture.ts';
import { openNetbox } from '../src/ipam/open-netbox.ts';
import { read } from '../src/model/cursor.ts';
import { must } from '../src/model/parsed.ts';
import { readNetboxSource } from '../src/model/read-netbox-source.ts';
import { ManualClock } from '../src/runtime/manual-clock.ts';
import { SystemClock } from '../src/runtime/system-clock.ts';
import { openEmbedded } from '../test/allocator/embedded-world.ts';
import { startHere } from '../test/allocator/test-allocator.ts';
import { AddressWatch } from './allocator-cluster.ts';
import type { Bench, BenchReport } from './bench-report.ts';
import { quantile } from './quantile.ts';

const samples = 200;
const burst = 500;
const prefixes = ['198.51.100.0/22'];
const never = new AbortController().signal;
const clock = new SystemClock();

export const ipam: Bench = {
  name: 'ipam',
  description:
    'Netbox and a sidecar: requests and time for an address, 500 Services at once, outages',
  async run(report) {
    await measureNetbox(report);
    await measureSidecar(report);
    for (const source of ['own ranges', 'Netbox'] as const) await measureBurst(report, source);
    await describeOutages(report);
  },
};

async function withNetbox(run: (server: RunningNetbox, token: string) => Promise<void>) {
  const server = await startNetbox();
  try {
    await run(server, setUpNetbox(server.netbox, { prefixes }));
  } finally {
    await server.stop();
  }
}

function measureNetbox(report: BenchReport): Promise<void> {
  return withNetbox(async (server, token) => {
    const spec = must(read({ url: server.url, tenant, prefixes }, readNetboxSource));
    const readToken = async () => token;
    const common = { readToken, clock, random: Math.random, clusterId: () => 'bench' };
    const source = openNetbox({ spec, pool: 'lb', ...common });
    await source.check(never);
    await measureSource(report, 'Netbox', source, server.requests);
    source.close();
  });
}

async function measureSidecar(report: BenchReport): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-ipam-'));
  const book = new PoolBook({ ranges: { lb: prefixes }, stateFile: join(folder, 'state') });
  const requests: string[] = [];
  const observe = (method: string) => requests.push(method);
  const sidecar = await startSidecar({
    book,
    listen: { socket: join(folder, 'ipam.sock') },
    observe,
  });
  const options = { socket: sidecar.target, pool: 'lb', clock, observe: () => {} };
  const source = new ExternalSource(options);
  await measureSource(report, 'sidecar', source, requests);
  source.close();
  await sidecar.stop();
  rmSync(folder, { recursive: true });
}

async function measureSource(
  report: BenchReport,
  name: string,
  source: AddressSource,
  requests: readonly string[],
): Promise<void> {
  const slot = (index: number) =>
    ({
      pool: 'lb',
      owner: `uid-${index}`,
      family: 'ipv4',
      service: `shop/${index}`,
      sharingKey: undefined,
    }) as const;
  const runs = {
    allocate: (index: number) => source.allocate({ ...slot(index), wish: undefined }, never),
    release: (index: number) => source.release(slot(index), never),
  };
  const targets = name === 'Netbox' ? { allocate: 2, release: 2 } : { allocate: 1, release: 1 };
  for (const [what, run] of Object.entries(runs)) {
    const before = requests.length;
    const times: number[] = [];
    for (let index = 0; index < samples; index += 1) {
      const startedAt = performance.now();
      const outcome = await run(index);
      if (outcome.kind === 'failure') throw new Error(outcome.message);
      times.push(performance.now() - startedAt);
    }
    const target = targets[what as 'allocate' | 'release'];
    const value = (requests.length - before) / samples;
    report.row({ name: `${name}: requests to ${what}`, value, unit: '', target, better: 'lower' });
    for (const share of [0.5, 0.99]) {
      const label = `${name}: ${what}, p${share * 100}`;
      report.row({ name: label, value: quantile(times, share), unit: 'ms', better: 'lower' });
    }
  }
}

/** From the first Service made until the last has its address, on the embedded API server. */
function measureBurst(report: BenchReport, source: 'own ranges' | 'Netbox'): Promise<void> {
  return withNetbox(async (server, token) => {
    const { world, close } = await openEmbedded();
    const allocator = await startHere(world, { logLevel: 'error', netboxToken: token });
    const watch = new AddressWatch(world);
    try {
      const v4pools = [{ pool: '198.51.100.0/22', subnet: '198.51.100.0/22' }];
      const netbox = { url: server.url, tenant, prefixes };
      await world.group('default', source === 'Netbox' ? { netbox } : { local: { v4pools } });
      await watch.start();
      await world.service('first');
      await watch.whenSeen('first');
      const startedAt = performance.now();
      const names = Array.from({ length: burst }, (_, index) => `web-${index}`);
      await Promise.all(names.map((name) => world.service(name)));
      await Promise.all(names.map((name) => watch.whenSeen(name)));
      const value = performance.now() - startedAt;
      report.row({
        name: `${burst} Services at once, ${source}`,
        value,
        unit: 'ms',
        better: 'lower',
      });
    } finally {
      watch.stop();
      await allocator.stop();
      await close();
    }
  });
}

const outages: Readonly<Record<string, Fate>> = {
  'connection refused': { kind: 'refused' },
  'request lost': { kind: 'lost' },
  'answer lost': { kind: 'unanswered' },
  'carried out 30 s later': { kind: 'late', afterMs: 30_000 },
  'a page with 502': { kind: 'answer', change: () => ({ status: 502, headers: {}, body: '' }) },
  '403 for everything': {
    kind: 'answer',
    change: () => ({
      status: 403,
      headers: { 'content-type': 'application/json' },
      body: '{"detail":"Token expired"}',
    }),
  },
};

/** Every request fails alike for a minute; then the source is asked once more. */
async function describeOutages(report: BenchReport): Promise<void> {
  report.note('outage · what the source says · requests meanwhile · records afterwards');
  for (const [name, fate] of Object.entries(outages)) {
    const manual = new ManualClock();
    const room = new NetboxRoom({ prefixes: ['198.51.100.0/28'], clock: manual });
    let isOver = true;
    const { source, transport } = room.open({ fateOf: () => (isOver ? { kind: 'served' } : fate) });
    await source.check(never);
    isOver = false;
    const before = transport.requests.length;
    const order = {
      pool: 'lb',
      owner: 'u',
      family: 'ipv4',
      service: 'a/1',
      sharingKey: undefined,
    } as const;
    const asking = source.allocate({ ...order, wish: undefined }, never);
    for (let seconds = 0; seconds < 120; seconds += 1) await manual.advance(1_000);
    const said = await asking;
    const requests = transport.requests.length - before;
    isOver = true;
    await source.allocate({ ...order, wish: undefined }, never);
    const text = said.kind === 'failure' ? `${said.reason}: ${said.message}` : 'an address';
    report.note(`${name} · ${text} · ${requests} · ${room.records().length}`);
  }
}
