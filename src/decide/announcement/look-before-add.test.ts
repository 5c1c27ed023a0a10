import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Slot } from '../../model/announcing.ts';
import type { Ip } from '../../model/ip.ts';
import type { ConflictCheck } from '../../model/pool.ts';
import { familySamples } from './cluster.fixture.ts';
import { type Clearance, type LookQuestion, lookBeforeAdd } from './look-before-add.ts';
import type { Look } from './who-holds.ts';
import { identitiesOf, macOfNode } from './wire.fixture.ts';

const check: ConflictCheck = {
  mode: 'Quick',
  waitMs: 20,
  keepsKernelDad: false,
  quarantineMs: 0,
};

/** What was sent and heard so far, as times: `sent 0 20; b 5`. */
function looked(text: string, more: Partial<Look> = {}): Look {
  const [sent = '', ...answers] = text.split('; ');
  return {
    link: 'eth0',
    sentAt: sent.split(' ').slice(1).map(Number),
    answers: answers.map((answer) => {
      const [node = '', at = ''] = answer.split(' ');
      return { mac: macOfNode(node), at: Number(at) };
    }),
    isDeaf: false,
    ...more,
  };
}

for (const { family, vip, vips } of familySamples) {
  const slot = (node: string): Slot => ({ node, link: 'eth0', ip: vip });
  const controlIps = vips.slice(-2);

  const judge = (now: number, look?: Look, more: Partial<LookQuestion> = {}) =>
    lookBeforeAdd({
      me: 'a',
      ip: vip,
      link: 'eth0',
      check,
      skipsCheck: false,
      slot: undefined,
      claims: new Set(),
      denied: new Map(),
      look,
      controls: controlIps.map((ip) => ({ ip, look: undefined })),
      proxies: new Set(),
      identities: identitiesOf('a', 'b', 'c'),
      suspects: [more.handedBy ?? more.slot?.node ?? 'a'].filter((node) => node !== 'a'),
      now,
      ...more,
    });

  const decide = (...given: Parameters<typeof judge>) => describe(judge(...given));

  const describe = (clearance: Clearance): string => {
    switch (clearance.kind) {
      case 'add':
        return ['add', ...clearance.findings.map(({ kind }) => kind)].join(' ');
      case 'ask':
        return clearance.asks
          .map(({ ip, isFirst, to }) => {
            const whom = ['everyone', ...to].join(' and ');
            return `${isFirst ? 'ask' : 'again'} ${nameOf(ip)} of ${whom}`;
          })
          .join('; ');
      case 'wait':
        return `wait until ${clearance.until}`;
      case 'conflict':
        return `conflict with ${clearance.mac}`;
      case 'handed':
        return ['handed', ...clearance.findings.map(({ kind }) => kind)].join(' ');
      case 'heldByMember':
        return `held by ${clearance.node} until ${clearance.until}`;
      default:
        return clearance satisfies never;
    }
  };

  const nameOf = (ip: Ip) => (ip === vip ? 'it' : `control ${controlIps.indexOf(ip) + 1}`);

  test(`${family}: before first use the wire is asked once, and silence lets it in`, () => {
    assert.equal(decide(0), 'ask it of everyone');
    assert.equal(decide(10, looked('sent 0')), 'wait until 20');
    assert.equal(decide(20, looked('sent 0')), 'add');
  });

  test(`${family}: the full check is that of RFC 5227`, () => {
    const full = { check: { ...check, mode: 'Full' as const } };
    assert.equal(decide(0, undefined, full), 'ask it of everyone');
    assert.equal(decide(999, looked('sent 0'), full), 'wait until 1000');
    assert.equal(decide(1000, looked('sent 0'), full), 'again it of everyone');
    assert.equal(decide(2000, looked('sent 0 1000'), full), 'again it of everyone');
    assert.equal(decide(2000, looked('sent 0 1000 2000'), full), 'wait until 4000');
    assert.equal(decide(4000, looked('sent 0 1000 2000'), full), 'add');
  });

  test(`${family}: nobody is asked where the user wants no check`, () => {
    assert.equal(decide(0, undefined, { check: { ...check, mode: 'Off' } }), 'add');
    assert.equal(decide(0, undefined, { skipsCheck: true }), 'add');
  });

  test(`${family}: a holder named by the slot is asked by unicast, twice, whatever the check`, () => {
    const named = { slot: slot('b'), skipsCheck: true };
    assert.equal(decide(0, undefined, named), `ask it of everyone and ${macOfNode('b')}`);
    assert.equal(decide(20, looked('sent 0'), named), `again it of everyone and ${macOfNode('b')}`);
    assert.equal(decide(30, looked('sent 0 20'), named), 'wait until 40');
    assert.equal(decide(40, looked('sent 0 20'), named), 'add');
  });

  test(`${family}: what is asked twice without further decision is looked at when both are over`, () => {
    const named = { slot: slot('b') };
    const again = `again it of everyone and ${macOfNode('b')}`;
    const repeating = (text: string) => looked(text, { isRepeated: true });
    assert.equal(decide(1, repeating('sent 0'), named), 'wait until 42');
    assert.equal(decide(42, looked('sent 0 21'), named), 'add');
    const crowded = (text: string) => looked(text, { isRepeated: true, sendingMs: 5 });
    assert.equal(decide(6, crowded('sent 0'), named), 'wait until 52');
    assert.equal(decide(45, looked('sent 0 25', { sendingMs: 5 }), named), 'wait until 50');
    assert.equal(decide(42, repeating('sent 0'), named), again);
    // An answer is judged, and what is still to be asked is asked by whoever judges.
    assert.equal(decide(20, repeating('sent 0; c 5'), named), again);
  });

  test(`${family}: what is asked twice is to be repeated, and nothing else`, () => {
    const repeats = (more: Partial<LookQuestion>, now = 0, look?: Look) => {
      const clearance = judge(now, look, more);
      return clearance.kind === 'ask' ? clearance.asks.map(({ repeatMs }) => repeatMs) : [];
    };
    assert.deepEqual(repeats({ slot: slot('b') }), [20]);
    assert.deepEqual(repeats({ slot: slot('b') }, 42, looked('sent 0')), [undefined]);
    assert.deepEqual(repeats({}), [undefined]);
    assert.deepEqual(repeats({ check: { ...check, mode: 'Full' } }), [undefined]);
  });

  test(`${family}: a slot that names this node is no reason to believe that it is free`, () => {
    assert.equal(decide(0, undefined, { slot: slot('a') }), 'ask it of everyone');
  });

  test(`${family}: a member that answers and claims it holds it`, () => {
    assert.equal(decide(10, looked('sent 0; b 5'), { slot: slot('b') }), 'held by b until 500');
    const announced = { claims: new Set(['c']), slot: slot('b') };
    assert.equal(decide(10, looked('sent 0; c 5'), announced), 'held by c until 500');
  });

  test(`${family}: a member that holds what this node shall have is asked again soon`, () => {
    const asked = `ask it of everyone and ${macOfNode('b')}`;
    assert.equal(decide(500, looked('sent 0; b 5'), { slot: slot('b') }), asked);
  });

  test(`${family}: T10: a member that answers for what nobody ever claimed is a finding only`, () => {
    assert.equal(decide(20, looked('sent 0; b 5')), 'add answersUnclaimed');
  });

  test(`${family}: where someone is said to hold it, such a member gets time to claim it`, () => {
    const named = { slot: slot('b') };
    assert.equal(decide(40, looked('sent 0 20; c 5'), named), 'wait until 2000');
    assert.equal(decide(2000, looked('sent 0 20; c 5'), named), 'add answersUnclaimed');
    const mine = { slot: slot('a') };
    assert.equal(decide(40, looked('sent 0 20; c 5'), mine), 'wait until 2000');
  });

  test(`${family}: a member that says that it does not hold it is not waited for`, () => {
    const no = (at: number) => ({ slot: slot('b'), denied: new Map([['c', at]]) });
    assert.equal(decide(40, looked('sent 0 20; c 5'), no(6)), 'add answersUnclaimed');
    assert.equal(decide(40, looked('sent 0 20; c 5'), no(-1)), 'wait until 2000');
    const two = looked('sent 0 20; b 5; c 5');
    assert.equal(decide(40, two, no(6)), 'held by b until 520');
    assert.equal(decide(40, two, { ...no(6), slot: slot('a') }), 'wait until 2000');
  });

  test(`${family}: a member that the slot names, and that says that it does not hold it, does not`, () => {
    const no = { slot: slot('b'), denied: new Map([['b', 6]]) };
    assert.equal(decide(40, looked('sent 0 20; b 5'), no), 'add answersUnclaimed');
    const asked = `ask it of everyone and ${macOfNode('b')}`;
    assert.equal(decide(600, looked('sent 0; b 5'), { slot: slot('b') }), asked);
  });

  test(`${family}: other cards of this node that answer mean nothing`, () => {
    assert.equal(decide(20, looked('sent 0; a 5')), 'add');
  });

  test(`${family}: F11: a stranger that answers is put to the test, and then is a conflict`, () => {
    const look = looked('sent 0; x 5');
    const whom = `everyone and ${macOfNode('x')}`;
    const first = `ask control 1 of ${whom}; ask control 2 of ${whom}; again it of ${whom}`;
    assert.equal(decide(6, look), first);
    const controls = (text: string) => ({
      controls: controlIps.map((ip) => ({ ip, look: looked(text) })),
    });
    assert.equal(decide(10, look, controls('sent 6')), 'wait until 106');
    const beside = looked('sent 0 6 106 206 306 406; x 5; x 107; x 207; x 407');
    const silent = controls('sent 6 106 206 306 406');
    assert.equal(decide(506, beside, silent), `conflict with ${macOfNode('x')}`);
    assert.equal(decide(26, look, controls('sent 6; x 8')), 'add proxyArp');
  });

  test(`${family}: one that is known to answer for everything is not heard`, () => {
    const known = { proxies: new Set([macOfNode('x')]) };
    assert.equal(decide(20, looked('sent 0; x 5'), known), 'add');
  });

  test(`${family}: what its holder hands over is free to take while nobody else answers`, () => {
    const handed = { slot: slot('b'), handedBy: 'b' };
    assert.equal(decide(0, undefined, handed), `ask it of everyone and ${macOfNode('b')}`);
    assert.equal(decide(1, looked('sent 0; b 1'), handed), 'handed');
    assert.equal(decide(1, looked('sent 0; b 1; c 1'), handed), 'handed');
    const claimed = { ...handed, claims: new Set(['c']) };
    assert.equal(decide(1, looked('sent 0; b 1; c 1'), claimed), 'held by c until 500');
    assert.match(decide(1, looked('sent 0; b 1; x 1'), handed), /^ask control/);
    const controls = controlIps.map((ip) => ({ ip, look: looked('sent 1; x 2') }));
    const beside = { ...handed, controls };
    assert.equal(decide(3, looked('sent 0; b 1; x 1'), beside), 'handed proxyArp');
  });

  test(`${family}: what is handed over is asked for, also where nothing else would be`, () => {
    const off = { check: { ...check, mode: 'Off' }, handedBy: 'b' } as const;
    assert.equal(decide(0, undefined, off), `ask it of everyone and ${macOfNode('b')}`);
  });

  test(`${family}: where every address is in use a stranger cannot be put to the test`, () => {
    const none = { controls: [] };
    assert.equal(decide(6, looked('sent 0; x 5'), none), `conflict with ${macOfNode('x')}`);
  });

  test(`${family}: a look that is old, deaf, or of another link is done anew`, () => {
    assert.equal(decide(4999, looked('sent 0')), 'add');
    assert.equal(decide(5000, looked('sent 0')), 'ask it of everyone');
    assert.equal(decide(20, looked('sent 0', { isDeaf: true })), 'ask it of everyone');
    assert.equal(decide(20, looked('sent 0', { link: 'eth1' })), 'ask it of everyone');
  });

  test(`${family}: suspects are asked for the address alone, and not for controls`, () => {
    const suspects = ['b', 'c'];
    const both = `${macOfNode('b')} and ${macOfNode('c')}`;
    assert.equal(decide(0, undefined, { suspects }), `ask it of everyone and ${both}`);
    const whom = `everyone and ${macOfNode('x')}`;
    const asked = `ask control 1 of ${whom}; ask control 2 of ${whom}; again it of ${whom}`;
    assert.equal(decide(20, looked('sent 0; x 5'), { suspects }), asked);
  });

  test(`${family}: a suspect that answers unclaimed gets time to claim it, also before first use`, () => {
    const late = { suspects: ['b'] };
    assert.equal(decide(40, looked('sent 0 20; b 5'), late), 'wait until 2000');
    assert.equal(decide(2_000, looked('sent 0 20; b 5'), late), 'add answersUnclaimed');
    assert.equal(decide(40, looked('sent 0 20; c 5'), late), 'add answersUnclaimed');
  });

  test(`${family}: of two that ask at once the better one goes on, the other waits and asks anew`, () => {
    const betterAskers = new Map([['b', 10]]);
    assert.equal(decide(20, looked('sent 0'), { betterAskers }), 'wait until 1010');
    assert.equal(decide(1_010, looked('sent 0'), { betterAskers }), 'ask it of everyone');
    assert.equal(decide(1_030, looked('sent 1010'), { betterAskers }), 'add');
    assert.equal(decide(5_020, looked('sent 5000'), { betterAskers }), 'add');
    assert.equal(decide(40, looked('sent 0 20'), { betterAskers, since: 0 }), 'add');
  });

  test(`${family}: those of better rank have a moment to show that they live`, () => {
    assert.equal(decide(20, looked('sent 0'), { delayMs: 60 }), 'wait until 80');
    assert.equal(decide(80, looked('sent 0'), { delayMs: 60 }), 'add');
  });

  test(`${family}: this node asks too, and twice, when the slot names it`, () => {
    const off = { slot: slot('a'), check: { ...check, mode: 'Off' as const }, skipsCheck: true };
    assert.equal(decide(0, undefined, off), 'ask it of everyone');
    assert.equal(decide(20, looked('sent 0'), off), 'again it of everyone');
    assert.equal(decide(40, looked('sent 0 20'), off), 'add');
  });

  test(`${family}: what was asked before this node had reason to doubt is asked again, and twice`, () => {
    assert.equal(decide(100, looked('sent 0 20'), { since: 50 }), 'ask it of everyone');
    assert.equal(decide(100, looked('sent 50'), { since: 50 }), 'again it of everyone');
    assert.equal(decide(100, looked('sent 50 70'), { since: 50 }), 'add');
  });
}
