import assert from 'node:assert/strict';
import { test } from 'node:test';
import { familySamples } from '../announcement/cluster.fixture.ts';
import { findDamped, type MoveHistory, noteMoves } from './move-damping.ts';

const damping = { moves: 3, windowMs: 180_000, holdMs: 180_000 };

for (const { family, vip } of familySamples) {
  /** `a@0 b@10`: who is in the slot, from which second on; then until when it is damped, in seconds. */
  function dampedAfter(text: string, second: number): number | undefined {
    const history = text.split(' ').reduce<MoveHistory>((before, each) => {
      const [node = '', at = ''] = each.split('@');
      return noteMoves([{ ip: vip, node }], before, damping, Number(at) * 1000);
    }, new Map());
    const until = findDamped(history, damping, second * 1000).get(vip);
    return until === undefined ? undefined : until / 1000;
  }

  function check(name: string, text: string, second: number, expected?: number): void {
    test(`${family}: ${name}`, () => assert.equal(dampedAfter(text, second), expected));
  }

  check('an address that does not move may move', 'a@0 a@10 a@20', 20);
  check('its first holder is no move', 'a@0 b@1 c@2', 2);
  check(
    'after three moves in three minutes it stays for three more',
    'a@0 b@10 a@20 b@30',
    30,
    210,
  );
  check('until then', 'a@0 b@10 a@20 b@30 b@209', 209, 210);
  check('and no longer', 'a@0 b@10 a@20 b@30 b@210', 210);
  check('moves that lie further apart are no flapping', 'a@0 b@10 a@100 b@191', 191);
  check('a failover in the meantime extends it', 'a@0 b@10 a@20 b@30 c@60', 60, 240);
}

test('what no Service has any more is forgotten', () => {
  const [{ vip } = { vip: undefined }] = familySamples;
  const before = vip === undefined ? [] : [{ ip: vip, node: 'a' }];
  const history = noteMoves(before, new Map(), damping, 0);
  assert.equal(history.size, 1);
  assert.equal(noteMoves([], history, damping, 1).size, 0);
});
