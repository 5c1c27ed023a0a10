import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AddressChange, WantedAddress } from '../model/address.ts';
import { familyOf } from '../model/ip.ts';
import { ourAddressPriority, ourAddressProtocol } from '../model/ownership.ts';
import { prefixOf } from '../model/prefix.ts';
import {
  type AddressMessage,
  decodeAddress,
  IFA_F_NOPREFIXROUTE,
  IFA_F_PERMANENT,
  IFA_F_SECONDARY,
  RTM_DELADDR,
} from '../wire/address-message.ts';
import { NLM_F_EXCL, NLM_F_REPLACE } from '../wire/netlink-message.ts';
import { planSteps, type Step } from './address-steps.ts';
import { HeldTable } from './held-table.ts';

const links = new Map([
  ['eth0', 2],
  ['eth1', 3],
]);

/** `192.0.2.1/24@eth0`, with `!` behind it if foreign, `~` if secondary. */
function held(text: string, more: Partial<AddressMessage> = {}): AddressMessage {
  const [, prefix = '', link = '', marks = ''] = /^(.+)@(\w+)([!~]*)$/.exec(text) ?? [];
  const { ip, length } = prefixOf(prefix);
  const ours = { protocol: ourAddressProtocol, priority: ourAddressPriority };
  return {
    linkIndex: links.get(link) ?? 0,
    ip,
    prefixLength: length,
    flags: IFA_F_NOPREFIXROUTE | (marks.includes('~') ? IFA_F_SECONDARY : 0),
    scope: 0,
    ...(!marks.includes('!') && ours),
    ...more,
  };
}

function change(kind: AddressChange['kind'], text: string, more: Partial<WantedAddress> = {}) {
  const [prefix = '', link = ''] = text.split('@');
  const { ip, length } = prefixOf(prefix);
  const times = { validSeconds: 300, preferredSeconds: 200 };
  const flags = { noPrefixRoute: true, noDad: true };
  return { kind, address: { link, ip, prefixLength: length, ...times, ...flags, ...more } };
}

function describe({ request }: Step): string {
  const message = decodeAddress(request.encodeBody()) ?? assert.fail('not an address');
  const { ip, prefixLength, linkIndex } = message;
  const flags = request.flags ?? 0;
  const replace = (flags & NLM_F_REPLACE) !== 0 ? 'replace' : 'unclear';
  const verb = request.type === RTM_DELADDR ? 'del' : (flags & NLM_F_EXCL) !== 0 ? 'add' : replace;
  return `${verb} ${ip}/${prefixLength} ${linkIndex}`;
}

/** Steps and failures as text. */
async function plan(changes: readonly AddressChange[], table?: readonly AddressMessage[]) {
  const { steps, failures } = await planSteps(changes, {
    linkIndex: (name) => links.get(name),
    held: table && new HeldTable(table),
  });
  return [...steps.map(describe), ...failures.map(({ code }) => code)];
}

for (const [one, two] of [
  ['192.0.2.1/32', '192.0.2.2/32'],
  ['2001:db8::1/128', '2001:db8::2/128'],
]) {
  const family = familyOf(prefixOf(one ?? '').ip);

  test(`${family}: adds without knowing what is held, in a way that takes over nothing`, async () => {
    assert.deepEqual(await plan([change('add', `${one}@eth0`), change('add', `${two}@eth1`)]), [
      `add ${one} 2`,
      `add ${two} 3`,
    ]);
  });

  test(`${family}: neither refreshes nor removes without knowing what is held`, async () => {
    const changes = [change('refresh', `${one}@eth0`), change('remove', `${two}@eth0`)];
    assert.deepEqual(await plan(changes), ['Unknown', 'Unknown']);
  });

  test(`${family}: renews what is ours, whether asked to add or to refresh it`, async () => {
    const table = [held(`${one}@eth0`), held(`${two}@eth0`)];
    assert.deepEqual(
      await plan([change('add', `${one}@eth0`), change('refresh', `${two}@eth0`)], table),
      [`replace ${one} 2`, `replace ${two} 2`],
    );
  });

  test(`${family}: adds what is refreshed but gone`, async () => {
    assert.deepEqual(await plan([change('refresh', `${one}@eth0`)], []), [`add ${one} 2`]);
  });

  test(`${family}: touches no foreign address, whatever is asked for`, async () => {
    const changes = (['add', 'refresh', 'remove'] as const).map((kind) =>
      change(kind, `${one}@eth0`),
    );
    assert.deepEqual(await plan(changes, [held(`${one}@eth0!`)]), [
      'ForeignAddress',
      'ForeignAddress',
      'ForeignAddress',
    ]);
  });

  test(`${family}: removes ours, and nothing where there is nothing`, async () => {
    const changes = [change('remove', `${one}@eth0`), change('remove', `${two}@eth0`)];
    assert.deepEqual(await plan(changes, [held(`${one}@eth0`), held(`${two}@eth1`)]), [
      `del ${one} 2`,
    ]);
  });

  test(`${family}: a missing link fails what should be on it, and has nothing to remove`, async () => {
    const changes = (['add', 'refresh', 'remove'] as const).map((kind) =>
      change(kind, `${one}@eth9`),
    );
    assert.deepEqual(await plan(changes, []), ['LinkGone', 'LinkGone']);
  });

  test(`${family}: judges each change by what its predecessors leave`, async () => {
    const changes = [
      change('remove', `${one}@eth0`),
      change('remove', `${one}@eth0`),
      change('add', `${one}@eth0`),
      change('refresh', `${one}@eth0`),
      change('remove', `${one}@eth0`),
    ];
    assert.deepEqual(await plan(changes, [held(`${one}@eth0`)]), [
      `del ${one} 2`,
      `add ${one} 2`,
      `replace ${one} 2`,
      `del ${one} 2`,
    ]);
  });
}

test('an IPv4 address whose prefix route flag differs is removed and added again', async () => {
  const refresh = change('refresh', '192.0.2.1/24@eth0', { noPrefixRoute: false });
  assert.deepEqual(await plan([refresh], [held('192.0.2.1/24@eth0')]), [
    'del 192.0.2.1/24 2',
    'add 192.0.2.1/24 2',
  ]);
});

test('an IPv6 address changes its prefix route flag in place', async () => {
  const refresh = change('refresh', '2001:db8::1/64@eth0', { noPrefixRoute: false });
  assert.deepEqual(await plan([refresh], [held('2001:db8::1/64@eth0')]), [
    'replace 2001:db8::1/64 2',
  ]);
});

test('an IPv6 address with another prefix length is in the way of its successor', async () => {
  const moved = [change('add', '2001:db8::1/128@eth0'), change('remove', '2001:db8::1/64@eth0')];
  assert.deepEqual(await plan(moved, [held('2001:db8::1/64@eth0')]), [
    'del 2001:db8::1/64 2',
    'add 2001:db8::1/128 2',
  ]);
  assert.deepEqual(await plan(moved, [held('2001:db8::1/64@eth0!')]), [
    'ForeignAddress',
    'ForeignAddress',
  ]);
});

test('an IPv4 address with another prefix length is another address', async () => {
  const moved = [change('add', '192.0.2.1/32@eth0'), change('remove', '192.0.2.1/24@eth0')];
  assert.deepEqual(await plan(moved, [held('192.0.2.1/24@eth0')]), [
    'add 192.0.2.1/32 2',
    'del 192.0.2.1/24 2',
  ]);
});

test('removing a primary keeps its secondaries, ours and foreign', async () => {
  const table = [
    held('192.0.2.1/24@eth0'),
    held('192.0.2.2/24@eth0~'),
    held('192.0.2.3/24@eth0!~'),
    held('192.0.2.4/25@eth0'),
    held('192.0.2.5/24@eth1'),
    held('198.51.100.1/24@eth0'),
  ];
  assert.deepEqual(await plan([change('remove', '192.0.2.1/24@eth0')], table), [
    'del 192.0.2.1/24 2',
    'add 192.0.2.2/24 2',
    'add 192.0.2.3/24 2',
  ]);
});

test('a kept secondary is added as it was, without what only the kernel sets', async () => {
  const foreign = held('192.0.2.3/24@eth0!~', {
    flags: IFA_F_SECONDARY | IFA_F_PERMANENT,
    label: 'eth0:x',
    lifetime: { validSeconds: 0, preferredSeconds: 0, created: 7, updated: 7 },
  });
  const { steps } = await planSteps([change('remove', '192.0.2.1/24@eth0')], {
    linkIndex: () => 2,
    held: new HeldTable([held('192.0.2.1/24@eth0'), foreign]),
  });
  assert.deepEqual(steps[1]?.tolerated, [17]);
  assert.deepEqual(decodeAddress(steps[1]?.request.encodeBody() ?? new Uint8Array()), {
    ...foreign,
    flags: 0,
    lifetime: { validSeconds: 1, preferredSeconds: 0, created: 7, updated: 7 },
  });
});

test('removing a secondary touches nothing else', async () => {
  const table = [held('192.0.2.1/24@eth0'), held('192.0.2.2/24@eth0~'), held('192.0.2.3/24@eth0~')];
  assert.deepEqual(await plan([change('remove', '192.0.2.2/24@eth0')], table), [
    'del 192.0.2.2/24 2',
  ]);
});

test('secondaries that are about to go are not kept', async () => {
  const table = [held('192.0.2.1/24@eth0'), held('192.0.2.2/24@eth0~'), held('192.0.2.3/24@eth0~')];
  const changes = [change('remove', '192.0.2.1/24@eth0'), change('remove', '192.0.2.2/24@eth0')];
  assert.deepEqual(await plan(changes, table), [
    'del 192.0.2.1/24 2',
    'add 192.0.2.3/24 2',
    'del 192.0.2.2/24 2',
    // Which of the two became primary is the kernel's choice.
    'add 192.0.2.3/24 2',
  ]);
});

test('a secondary that was removed and added before the primary goes is kept', async () => {
  const table = [held('192.0.2.1/24@eth0'), held('192.0.2.2/24@eth0~')];
  const changes = [
    change('remove', '192.0.2.2/24@eth0'),
    change('add', '192.0.2.2/24@eth0'),
    change('remove', '192.0.2.1/24@eth0'),
  ];
  assert.deepEqual(await plan(changes, table), [
    'del 192.0.2.2/24 2',
    'add 192.0.2.2/24 2',
    'del 192.0.2.1/24 2',
    'add 192.0.2.2/24 2',
  ]);
});

test('an address added before the primary goes is kept too', async () => {
  const changes = [change('add', '192.0.2.2/24@eth0'), change('remove', '192.0.2.1/24@eth0')];
  assert.deepEqual(await plan(changes, [held('192.0.2.1/24@eth0')]), [
    'add 192.0.2.2/24 2',
    'del 192.0.2.1/24 2',
    'add 192.0.2.2/24 2',
  ]);
});

test('what is added carries both marks, its lifetime, and a broadcast address where there is one', async () => {
  const bodyOf = async (text: string, more: Partial<WantedAddress> = {}) => {
    const { steps } = await planSteps([change('add', text, more)], {
      linkIndex: () => 2,
      held: undefined,
    });
    return decodeAddress(steps[0]?.request.encodeBody() ?? new Uint8Array());
  };
  const common = { linkIndex: 2, scope: 0, protocol: 76, priority: 7472 };
  const lifetime = { validSeconds: 300, preferredSeconds: 200, created: 0, updated: 0 };
  assert.deepEqual(await bodyOf('192.0.2.1/24@eth0'), {
    ...common,
    ip: '192.0.2.1',
    prefixLength: 24,
    flags: 0x200,
    broadcast: '192.0.2.255',
    lifetime,
  });
  assert.deepEqual(await bodyOf('2001:db8::1/64@eth0'), {
    ...common,
    ip: '2001:db8::1',
    prefixLength: 64,
    flags: 0x202,
    lifetime,
  });
  assert.equal((await bodyOf('192.0.2.1/31@eth0'))?.broadcast, undefined);
  const forEver = { validSeconds: Infinity, preferredSeconds: Infinity };
  assert.deepEqual(await bodyOf('192.0.2.1/32@eth0', { ...forEver, noPrefixRoute: false }), {
    ...common,
    ip: '192.0.2.1',
    prefixLength: 32,
    flags: 0,
    lifetime: { ...lifetime, ...forEver },
  });
});
