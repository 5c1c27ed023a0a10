/** What every `Guard` must do. Run on the fake by its unit test, on the real kernel by the live test. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type GuardRules, noGuard } from '../model/guard.ts';
import { ipOf } from '../model/ip.ts';
import type { Guard } from './guard.ts';

export interface GuardWorld {
  /** Of one process; the next one finds what it left. */
  openGuard(): Guard;
  /** Sorted texts of addresses, and of openings as `192.0.2.100 tcp 80`; undefined: nothing of ours is there. */
  look(): readonly string[] | undefined;
  /** What someone else may do to what is ours. */
  readonly damages: Readonly<Record<string, () => void>>;
  /** Of others, as text; made when the world was. */
  lookAtOthers(): string;
}

type Protocol = 'TCP' | 'UDP' | 'SCTP';

/** `192.0.2.100 TCP 80` opens a port, `192.0.2.101` alone none. */
function rulesOf(...texts: readonly string[]): GuardRules {
  const parts = texts.map((text) => text.split(' '));
  return {
    addresses: parts.map(([ip = '']) => ipOf(ip)),
    openings: parts
      .filter(({ length }) => length > 1)
      .map(([ip = '', protocol, port]) => {
        return { ip: ipOf(ip), protocol: protocol as Protocol, port: Number(port) };
      }),
  };
}

const both = rulesOf('192.0.2.100 TCP 80', '192.0.2.100 UDP 53', '2001:db8::100 SCTP 5060');
const bothSeen = [
  '192.0.2.100',
  '192.0.2.100 tcp 80',
  '192.0.2.100 udp 53',
  '2001:db8::100',
  '2001:db8::100 sctp 5060',
];

export function guardContract(
  name: string,
  makeWorld: () => GuardWorld,
  skip: string | false = false,
): void {
  const it = (title: string, body: (world: GuardWorld, guard: Guard) => Promise<void>): void => {
    test(title, { skip }, async () => {
      const world = makeWorld();
      const guard = world.openGuard();
      try {
        await body(world, guard);
      } finally {
        guard.close();
      }
    });
  };
  const kindOf = async (guard: Guard, rules: GuardRules) => (await guard.apply(rules)).kind;

  describe(name, () => {
    it('puts up what is asked for, of both families, once', async (world, guard) => {
      assert.equal(world.look(), undefined);
      assert.equal(await kindOf(guard, both), 'changed');
      assert.deepEqual(world.look(), bothSeen);
      assert.equal(await kindOf(guard, both), 'unchanged');
    });

    it('does not mind order or what is said twice', async (world, guard) => {
      await guard.apply(both);
      const { addresses, openings } = both;
      const shuffled = {
        addresses: [...addresses, ...addresses].reverse(),
        openings: [...openings, ...openings].reverse(),
      };
      assert.equal(await kindOf(guard, shuffled), 'unchanged');
      assert.deepEqual(world.look(), bothSeen);
    });

    it('changes what is different', async (world, guard) => {
      await guard.apply(both);
      assert.equal(await kindOf(guard, rulesOf('192.0.2.100 TCP 443', '2001:db8::1')), 'changed');
      assert.deepEqual(world.look(), ['192.0.2.100', '192.0.2.100 tcp 443', '2001:db8::1']);
    });

    it('leaves nothing without addresses, and does nothing where nothing is', async (world, guard) => {
      assert.equal(await kindOf(guard, noGuard), 'unchanged');
      await guard.apply(both);
      assert.equal(await kindOf(guard, noGuard), 'changed');
      assert.equal(world.look(), undefined);
      assert.equal(await kindOf(guard, noGuard), 'unchanged');
      assert.equal(await kindOf(guard, both), 'changed');
      assert.deepEqual(world.look(), bothSeen);
    });

    it('stays when it is closed, and a successor finds it', async (world, guard) => {
      await guard.apply(both);
      guard.close();
      assert.deepEqual(world.look(), bothSeen);
      const successor = world.openGuard();
      assert.equal(await kindOf(successor, both), 'unchanged');
      assert.equal(await kindOf(successor, rulesOf('192.0.2.100 TCP 80')), 'changed');
      assert.deepEqual(world.look(), ['192.0.2.100', '192.0.2.100 tcp 80']);
      successor.close();
      const last = world.openGuard();
      assert.equal(await kindOf(last, noGuard), 'changed');
      assert.equal(world.look(), undefined);
      last.close();
    });

    it('mends what someone did to it', async (world, guard) => {
      for (const [damage, inflict] of Object.entries(world.damages)) {
        await guard.apply(both);
        inflict();
        assert.equal(await kindOf(guard, both), 'changed', damage);
        assert.deepEqual(world.look(), bothSeen, damage);
        assert.equal(await kindOf(guard, both), 'unchanged', damage);
      }
    });

    it('never touches what is of others', async (world, guard) => {
      const before = world.lookAtOthers();
      await guard.apply(both);
      await guard.apply(rulesOf('192.0.2.7'));
      assert.equal(world.lookAtOthers(), before);
      await guard.apply(noGuard);
      assert.equal(world.lookAtOthers(), before);
    });

    it('takes thousands at once', async (world, guard) => {
      const texts = Array.from({ length: 3000 }, (_, index) => {
        const tail = `${(index >> 8) + 1}.${index & 255}`;
        return [`198.51.${tail} TCP 80`, `2001:db8::${(index + 1).toString(16)} TCP 80`];
      }).flat();
      assert.equal(await kindOf(guard, rulesOf(...texts)), 'changed');
      assert.equal(world.look()?.length, 12_000);
      assert.equal(await kindOf(guard, rulesOf(...texts)), 'unchanged');
      assert.equal(await kindOf(guard, rulesOf(...texts.slice(1))), 'changed');
      assert.equal(world.look()?.length, 11_998);
    });
  });
}
