import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Exchange, findDifferences, readExchanges, requestOf } from './exchange.fixture.ts';
import { adminToken, Netbox, type NetboxOptions } from './netbox.ts';
import type { Json, NetboxAnswer } from './netbox-request.ts';

/** Puts recorded requests to the emulation, and compares what it says with what the real one said. */
class Replay {
  readonly netbox: Netbox;
  readonly #etags = new Map<string, string>();
  readonly lines: string[] = [];
  count = 0;

  constructor(options: NetboxOptions = {}) {
    this.netbox = new Netbox({
      now: () => Date.UTC(2026, 10, 15, 7, 19),
      makeSecret: () => `DDDDDDDDDDDD.${'C'.repeat(40)}`,
      ...options,
    });
    const [key, token] = ['AAAAAAAAAAAA', 'B'.repeat(40)];
    this.netbox.tables.insert('users/tokens', { version: 2, key, token, user: 1 });
  }

  send(method: string, url: string, body?: unknown): Json {
    const headers = { authorization: `Token ${adminToken}`, 'content-type': 'application/json' };
    const text = body === undefined ? '' : JSON.stringify(body);
    const answer = this.netbox.handle({ method, url, headers, body: text });
    assert.ok(answer.status < 300, `${method} ${url}: ${answer.status} ${answer.body}`);
    return (answer.body === '' ? {} : JSON.parse(answer.body)) as Json;
  }

  ask(exchange: Exchange): NetboxAnswer {
    const answer = this.netbox.handle(requestOf(exchange, this.#etags));
    const [theirs, ours] = [exchange.response.headers?.['ETag'], answer.headers['etag']];
    if (theirs !== undefined && ours !== undefined) this.#etags.set(theirs, ours);
    return answer;
  }

  compare(exchange: Exchange, ignored: readonly string[] = []): void {
    this.count += 1;
    const differences = findDifferences(exchange, this.ask(exchange), ignored);
    this.lines.push(...differences.map((line) => `${exchange.name}: ${line}`));
  }

  /** `before`: what happened in between and was not recorded, by the name of the exchange. */
  file(
    name: string,
    before: Readonly<Record<string, () => void>> = {},
    ignored: readonly string[] = [],
  ): this {
    for (const exchange of readExchanges(name)) {
      before[exchange.name]?.();
      this.compare(exchange, ignored);
    }
    return this;
  }

  /** What the first files leave behind. */
  static prepared(options: NetboxOptions = {}): Replay {
    const replay = new Replay(options);
    const files = [
      '02-setup',
      '03-legacy-reserved-active',
      '04-available-ips',
      '05-specific-addresses',
    ];
    for (const file of files) replay.file(file);
    replay.count = 0;
    replay.lines.length = 0;
    return replay;
  }

  /** A token with the smallest permissions. */
  limit(): void {
    const users = [this.send('POST', '/api/users/users/', { username: 'limited' })['id']];
    this.send('POST', '/api/users/tokens/', { user: users[0], version: 2 });
    const permit = (types: readonly string[], actions: readonly string[], more: object = {}) =>
      this.send('POST', '/api/users/permissions/', {
        users,
        actions,
        object_types: types,
        ...more,
      });
    const constraints = { tenant__slug: 'kubernetes-cluster' };
    permit(['ipam.ipaddress'], ['view', 'add', 'change', 'delete'], { constraints });
    permit(['ipam.prefix', 'ipam.iprange', 'tenancy.tenant', 'ipam.vrf'], ['view']);
  }

  take(fields: Json): void {
    this.send('POST', '/api/ipam/prefixes/1/available-ips/', fields);
  }

  finish(t: { diagnostic(text: string): void }): void {
    t.diagnostic(`${this.count} exchanges`);
    assert.deepEqual(this.lines, []);
  }
}

test('credentials, redirects and pages are as recorded', (t) => {
  new Replay().file('01-auth-status').finish(t);
});

test('set-up, reserved addresses, free ones, specific ones and pages are as recorded', (t) => {
  const replay = new Replay();
  const files = [
    '02-setup',
    '03-legacy-reserved-active',
    '04-available-ips',
    '05-specific-addresses',
    '06-pagination-brief',
  ];
  for (const file of files) replay.file(file);
  replay.finish(t);
});

const invisible = { custom_fields: { purelb_slot: 'cluster-a/uid-1/4' } };

test('permissions are as recorded', (t) => {
  const replay = Replay.prepared();
  const { tables } = replay.netbox;
  tables.skipTo('ipam/ip-addresses', 327);
  replay.file('07-permissions', {
    'cf-unique-clash': () => {
      replay.take(invisible);
      replay.limit();
    },
  });
  replay.finish(t);
});

test('everything else about free addresses and headers is as recorded', (t) => {
  const replay = Replay.prepared();
  replay.netbox.tables.skipTo('ipam/ip-addresses', 328);
  replay.take({});
  replay.netbox.tables.skipTo('core/object-changes', 413);
  replay.file('08-misc', {}, ['count', 'id', 'changed_object_id']).finish(t);
});

test('outages are as recorded', (t) => {
  const replay = Replay.prepared();
  const { netbox } = replay;
  const trouble = (name: Netbox['trouble']) => () => {
    netbox.trouble = name;
  };
  const before = {
    'notunique-post1': () => {
      netbox.enforcesGlobalUnique = false;
    },
    'maxpage-default': () => {
      netbox.enforcesGlobalUnique = true;
      netbox.pageSize = 3;
    },
    'maxpage-limit0': () => {
      netbox.mostPerPage = 5;
    },
    'redis-down-get': () => {
      Object.assign(netbox, { pageSize: 50, mostPerPage: 1000, trouble: 'redis' });
    },
    'redis-back-post': trouble(undefined),
    'pg-down-get': trouble('stale-connection'),
    'pg-down-post': trouble('database'),
    'pg-back-get-0': trouble(undefined),
    'pg-back-get-1': trouble('stale-connection'),
    'db-readonly-get': trouble('read-only'),
    'db-back-post': trouble(undefined),
  };
  replay
    .file('09-outages', before, ['count', 'next', 'id', 'address', 'results', 'Location'])
    .finish(t);
});

test('a write that lands late, and addresses of the web pages, are as recorded', (t) => {
  const replay = Replay.prepared();
  const before = {
    'retry-post-after-zombie': () => {
      replay.netbox.tables.skipTo('ipam/ip-addresses', 405);
      replay.take({ custom_fields: { purelb_slot: 'cluster-a/zombie/4' } });
    },
  };
  const ignored = ['cf_def', 'cf_disabled', 'cf_loose', 'address'];
  replay.file('10-zombie-write', before, ignored).finish(t);
});

test('the protocol with the smallest permissions is as recorded', (t) => {
  const replay = Replay.prepared();
  for (const name of ['cf_def', 'cf_disabled', 'cf_loose']) {
    const field = { name, type: 'text', object_types: ['ipam.ipaddress'] };
    replay.send('POST', '/api/extras/custom-fields/', field);
  }
  replay.limit();
  replay.take(invisible);
  replay.netbox.tables.skipTo('ipam/ip-addresses', 487);
  replay.file('12-limited-token-protocol', {}, ['address']).finish(t);
});

/** What the older release does not know it answers otherwise, which was not recorded. */
function isNewer({ name, request: { headers = {} } }: Exchange): boolean {
  const isV2 = headers['Authorization']?.includes('nbt_') ?? false;
  return isV2 || headers['If-Match'] !== undefined || /bearer/i.test(name);
}

test('the older release differs as recorded, and in nothing else', (t) => {
  const replay = new Replay({ version: '4.2.9' });
  const others = [...readExchanges('20-netbox-4.2.9-differences')];
  const files = ['01-auth-status', '02-setup', '03-legacy-reserved-active', '04-available-ips'];
  const all = [...files, '05-specific-addresses', '06-pagination-brief'].flatMap(readExchanges);
  const first = '/api/ipam/ip-addresses/1/';
  const reserved = { status: 'reserved', description: '' };
  const before: Readonly<Record<string, Json>> = {
    'get-one-etag': reserved,
    'if-unmodified-since-ignored': { status: 'active' },
    'if-match-ignored': reserved,
  };
  const takeOther = ({ name, request }: Exchange) => {
    const found = others.findIndex(
      (each) => each.name === name && each.request.path === request.path,
    );
    return found < 0 ? undefined : others.splice(found, 1)[0];
  };
  for (const exchange of all.filter((each) => !isNewer(each))) {
    const change = before[exchange.name];
    if (change !== undefined) replay.send('PATCH', first, change);
    // It has no prefix_length: one address that was made with it has another mask.
    const isWhole = exchange.request.path.includes('cf_nope');
    const unlike = ['ETag', 'API-Version', ...(isWhole ? ['address'] : [])];
    const other = takeOther(exchange);
    replay.compare(other ?? exchange, other === undefined ? unlike : []);
  }
  assert.deepEqual(
    others.map(({ name }) => name),
    ['if-match-ignored'],
  );
  replay.send('PATCH', first, reserved);
  for (const other of others) replay.compare(other);
  replay.finish(t);
});
