import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adminToken } from '../../lab/netbox/netbox.ts';
import { makeToken, tenant } from '../../lab/netbox/set-up.ts';
import { ipOf } from '../model/ip.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { NetboxApi } from './netbox-api.ts';
import { NetboxRoom, type NetboxRoomOptions, never } from './netbox-room.fixture.ts';
import { RestError, type RestReply } from './rest-transport.ts';

const prefixes = ['198.51.100.0/30'];

async function check(options: NetboxRoomOptions, prepare: (room: NetboxRoom) => void = () => {}) {
  const room = new NetboxRoom({ prefixes, ...options });
  prepare(room);
  const outcome = await room.open().source.check(never);
  return outcome.kind === 'ready'
    ? [outcome.message, ...outcome.warnings]
    : [`${outcome.reason}: ${outcome.message}`];
}

const seed = (room: NetboxRoom) => {
  room.admin('POST', 'ipam/ip-addresses/', { address: '192.0.2.1/32', tenant: { slug: tenant } });
};

test('a Netbox that is set up says its version, and nothing else', async () => {
  assert.deepEqual(await check({}), ['answers (4.6.8)']);
  assert.deepEqual(await check({ version: '4.2.9' }, seed), ['answers (4.2.9)']);
});

test('what the group names and Netbox does not have is named, with what to do', async () => {
  const says = async (spec: object) => (await check({ spec: { tenant, ...spec } }))[0] ?? '';
  assert.match(
    await says({ tenant: 'nope' }),
    /^invalid: has no tenant with the slug "nope" that .* create it/,
  );
  assert.match(await says({ vrf: 'blue' }), /^invalid: has no VRF "blue"/);
  assert.match(
    await says({ prefixes: ['203.0.113.0/24'] }),
    /^invalid: has no prefix 203\.0\.113\.0\/24 in the global table/,
  );
  assert.match(
    await says({ ranges: ['203.0.113.1-203.0.113.9'] }),
    /^invalid: has no IP range 203\.0\.113\.1-203\.0\.113\.9/,
  );
});

test('a VRF is found by its route distinguisher and by its name', async () => {
  for (const vrf of ['65000:1', 'blue']) {
    const prepare = (room: NetboxRoom) => {
      room.admin('POST', 'ipam/vrfs/', { name: 'blue', rd: '65000:1', enforce_unique: true });
      room.admin('POST', 'ipam/prefixes/', { prefix: '198.51.100.0/30', vrf: 1, is_pool: true });
    };
    const spec = { tenant, vrf, prefixes };
    assert.deepEqual(await check({ spec }, prepare), ['answers (4.6.8)']);
    const room = new NetboxRoom({ prefixes, spec });
    prepare(room);
    const slot = {
      pool: 'lb',
      owner: 'u',
      family: 'ipv4',
      service: 'a/1',
      sharingKey: undefined,
    } as const;
    await room.open().source.allocate({ ...slot, wish: undefined }, never);
    const [row] = room.netbox.tables.all('ipam/ip-addresses');
    assert.equal(row?.fields['vrf'], 1);
  }
});

test('missing custom fields are told with where to make them, and so are those that do not filter', async () => {
  const [, warning = ''] = await check({ hasFields: false }, seed);
  assert.match(
    warning,
    /^custom field purelb_slot and purelb_cluster is missing, .* Customization > Custom Fields/,
  );
  const disable = (room: NetboxRoom) => {
    seed(room);
    room.admin('PATCH', 'extras/custom-fields/1/', { filter_logic: 'disabled' });
  };
  const [message = ''] = await check({}, disable);
  assert.match(
    message,
    /^invalid: ignores the custom field purelb_slot in searches: set its filter logic to Exact/,
  );
});

test('a field that is not unique is warned of where the token may see it', async () => {
  const prepare = (room: NetboxRoom) => {
    room.admin('PATCH', 'extras/custom-fields/1/', { unique: false });
    const permission = { users: [2], actions: ['view'], object_types: ['extras.customfield'] };
    room.admin('POST', 'users/permissions/', permission);
  };
  const [, warning = ''] = await check({}, prepare);
  assert.match(warning, /^custom field purelb_slot is not unique/);
});

async function answerOf(
  token: string | Error,
  netbox: NetboxRoom,
  change: (reply: RestReply) => RestReply = (reply) => reply,
) {
  const send = (request: { method: string; path: string; headers: object; body?: string }) => {
    const headers = request.headers as Record<string, string>;
    const { method, path: url, body = '' } = request;
    return Promise.resolve(change(netbox.netbox.handle({ method, url, headers, body })));
  };
  const readToken = () =>
    typeof token === 'string' ? Promise.resolve(token) : Promise.reject(token);
  const api = new NetboxApi({ transport: { send, close: () => {} }, basePath: '', readToken });
  const path = 'ipam/ip-addresses/?limit=1';
  const outcome = await api.call({ method: 'GET', path }, never);
  return 'kind' in outcome ? `${outcome.reason}: ${outcome.message}` : String(outcome.status);
}

test('a token that is wrong is told from one that may not, though both are 403', async () => {
  const room = new NetboxRoom({ prefixes });
  assert.equal(await answerOf(room.token, room), '200');
  assert.equal(await answerOf(adminToken, room), '200', 'an old token is as good as a new one');
  assert.equal(
    await answerOf('f'.repeat(40), room),
    'denied: refuses the API token: Invalid v1 token',
  );
  assert.equal(await answerOf('nbt_x.y', room), 'denied: refuses the API token: Invalid v2 token');
  const other = makeToken(room.netbox);
  room.admin('PATCH', 'users/permissions/3/', { object_types: [] });
  assert.match(await answerOf(other, room), /^denied: does not permit it \(You do not have/);
  assert.equal(await answerOf(new Error('has no API token'), room), 'denied: has no API token');
});

test('other servers, wrong paths and proxies are not taken for a Netbox', async () => {
  const room = new NetboxRoom({ prefixes });
  const reply = (status: number, body: string, headers: Record<string, string> = {}) =>
    answerOf(room.token, room, () => ({ status, body, headers }));
  const json = { 'content-type': 'application/json' };
  const page = { 'content-type': 'text/html' };
  assert.match(
    await reply(302, '', { location: '/login/?next=/x' }),
    /^invalid: answers with a redirect to \/login/,
  );
  assert.match(await reply(404, '<html>', page), /^invalid: has no API there: check url/);
  assert.match(await reply(502, '<html>', page), /^unavailable: answers 502$/);
  assert.match(
    await reply(200, '<html>', page),
    /^unavailable: answers 200 with something that is not JSON/,
  );
  assert.match(await reply(200, '{', json), /not JSON/);
  assert.equal(
    await reply(500, JSON.stringify({ error: 'connection failed\n\tIs it?' }), json),
    'unavailable: answers 500: connection failed',
  );
});

test('what is wrong with the connection is told with what to do', async () => {
  const room = new NetboxRoom({ prefixes });
  const says = (code: RestError['code']) =>
    answerOf(room.token, room, () => {
      throw new RestError(code, 'self-signed certificate');
    });
  assert.match(
    await says('untrusted'),
    /^invalid: .*not trusted .*: set caBundle to the certificate/,
  );
  assert.match(await says('expired'), /^invalid: .*not valid now .*: renew it/);
  assert.match(await says('misnamed'), /^invalid: .*another name .*: write url with a name/);
  assert.match(await says('plain'), /^invalid: does not speak TLS at that port: write http:/);
  assert.match(await says('unreachable'), /^unavailable: cannot be reached/);
});

test('whose an address is that is asked for is told, and so is one that the token cannot see', async () => {
  const order = {
    pool: 'lb',
    owner: 'u',
    family: 'ipv4',
    service: 'a/1',
    sharingKey: undefined,
    wish: ipOf('198.51.100.1'),
  } as const;
  const says = async (more: object, constrained: boolean) => {
    const room = new NetboxRoom({ prefixes, clock: new ManualClock() });
    room.admin('POST', 'tenancy/tenants/', { name: 'Blue', slug: 'blue' });
    room.admin('POST', 'ipam/ip-addresses/', { address: '198.51.100.1/30', ...more });
    if (!constrained) room.admin('PATCH', 'users/permissions/1/', { constraints: {} });
    const asking = room.open().source.allocate(order, never);
    for (let turns = 0; turns < 20; turns += 1) {
      await (room.clock as ManualClock).advance(1_000);
    }
    const outcome = await asking;
    return outcome.kind === 'failure' ? `${outcome.reason}: ${outcome.message}` : outcome.kind;
  };
  const blue = { tenant: { slug: 'blue' }, description: 'printer' };
  assert.equal(
    await says(blue, false),
    'conflict: has 198.51.100.1 on record for tenant "blue" (active, "printer")',
  );
  assert.match(
    await says(blue, true),
    /^conflict: has 198\.51\.100\.1 on record where the token cannot see it, so it is another tenant's/,
  );
  assert.match(
    await says({ tenant: { slug: tenant } }, true),
    /^conflict: has 198\.51\.100\.1 on record for someone else \(active\)/,
  );
});

test('no part of the token is in anything that is said', async () => {
  const room = new NetboxRoom({ prefixes });
  const secret = 'nbt_SECRETSECRET.verysecretverysecretverysecretverysecret';
  const said: string[] = [await answerOf(secret, room)];
  const codes = ['unreachable', 'untrusted', 'expired', 'misnamed', 'plain', 'cut'] as const;
  for (const code of codes) {
    const error = new RestError(code, 'failed');
    said.push(
      await answerOf(secret, room, () => {
        throw error;
      }).catch((thrown: unknown) => String(thrown)),
    );
  }
  for (const text of said) assert.doesNotMatch(text, /SECRET|verysecret/);
});
