import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  planWire,
  untouchedWire,
  type WireFault,
  type WireState,
  wireCommands,
} from './wire-plan.ts';

const ports = ['a', 'b', 'c', 'd'];
const healthy = planWire(ports, []);

function commands(faults: readonly WireFault[], before: WireState = healthy): readonly string[] {
  return wireCommands(before, planWire(ports, faults)).split('\n').slice(0, -1);
}

test('a new segment gets its bridge, then its ports', () => {
  assert.deepEqual(commands([], untouchedWire).slice(0, 4), [
    'link add lan type bridge stp_state 0 forward_delay 0 mcast_snooping 0',
    'link set lan up',
    'link set a master lan',
    'link set a up',
  ]);
});

test('only what changes is touched', () => {
  assert.deepEqual(commands([]), []);
  assert.deepEqual(commands([{ kind: 'unplugged', port: 'b' }]), ['link set b down']);
  assert.deepEqual(commands([{ kind: 'disconnected', port: 'b' }]), ['link set b nomaster']);
});

test('a port that is gone is deleted', () => {
  assert.equal(wireCommands(healthy, planWire(['a', 'b', 'c'], [])), 'link del d\n');
});

test('a partition moves each group to a bridge of its own and leaves the rest where it is', () => {
  const split = planWire(ports, [{ kind: 'partition', groups: [['a', 'b'], ['c']] }]);
  assert.deepEqual(wireCommands(healthy, split).split('\n').slice(0, -1), [
    'link add lan-part1 type bridge stp_state 0 forward_delay 0 mcast_snooping 0',
    'link set lan-part1 up',
    'link add lan-part2 type bridge stp_state 0 forward_delay 0 mcast_snooping 0',
    'link set lan-part2 up',
    'link set a master lan-part1',
    'link set b master lan-part1',
    'link set c master lan-part2',
  ]);
  assert.deepEqual(commands([], split), [
    'link set a master lan',
    'link set b master lan',
    'link set c master lan',
    'link del lan-part1',
    'link del lan-part2',
  ]);
});

test('frames are dropped where they enter or leave the port', () => {
  const { ruleset } = planWire(ports, [
    { kind: 'drop', port: 'b', direction: 'from', matches: [] },
    { kind: 'drop', port: 'a', direction: 'to', matches: ['ether type arp', 'numgen …'] },
  ]);
  assert.equal(
    ruleset,
    `table netdev lab {
  chain to-a {
    type filter hook egress device "a" priority 0; policy accept;
    ether type arp numgen … counter drop
  }
  chain from-b {
    type filter hook ingress device "b" priority 0; policy accept;
    counter drop
  }
}
`,
  );
});

const port = fc.constantFrom(...ports);
const faults = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom('unplugged', 'disconnected'), port }),
    fc.record({
      kind: fc.constant('partition' as const),
      groups: fc.array(fc.array(port), { maxLength: 3 }),
    }),
  ),
) as fc.Arbitrary<readonly WireFault[]>;

/** Two ports hear each other if no fault at all separates them. */
function hear(all: readonly WireFault[], left: string, right: string): boolean {
  return all.every((fault) => {
    if (fault.kind === 'drop') return true;
    if (fault.kind !== 'partition') return fault.port !== left && fault.port !== right;
    const side = (name: string) => fault.groups.findIndex((group) => group.includes(name));
    return side(left) === side(right);
  });
}

test('ports share a bridge exactly when no fault separates them', () => {
  fc.assert(
    fc.property(faults, port, port, (all, left, right) => {
      const state = planWire(ports, all);
      const [a, b] = [state.ports[left], state.ports[right]];
      const areTogether = a?.isUp && b?.isUp && a.bridge !== undefined && a.bridge === b?.bridge;
      assert.equal(areTogether, hear(all, left, right));
    }),
  );
});

test('faults that are all lifted leave nothing but what there was', () => {
  fc.assert(
    fc.property(faults, (all) => {
      const broken = planWire(ports, all);
      const there = commands(all).filter((line) => line.startsWith('link add')).length;
      const gone = commands([], broken).filter((line) => line.startsWith('link del')).length;
      assert.equal(there, gone);
    }),
  );
});
