import assert from 'node:assert/strict';
import { test } from 'node:test';
import { absent, leave } from '../announcement/address-decision.ts';
import { familySamples } from '../announcement/cluster.fixture.ts';
import { findAffirmable, findDeniable } from './deny-holding.ts';

for (const { family, vip } of familySamples) {
  const denies = (verdict: ReturnType<typeof absent>, held: readonly (typeof vip)[] | undefined) =>
    findDeniable([{ ip: vip, ...verdict }], held && new Set(held)).has(vip);

  test(`${family}: what belongs elsewhere, and is not here, can be denied`, () => {
    assert.equal(denies(absent('lostElection'), []), true);
    assert.equal(denies(absent('yielded'), []), true);
  });

  test(`${family}: what is still here cannot, nor what could not be read`, () => {
    assert.equal(denies(absent('lostElection'), [vip]), false);
    assert.equal(denies(absent('lostElection'), undefined), false);
  });

  test(`${family}: what this node is about to take, or does not know about, it does not speak of`, () => {
    assert.equal(denies(absent('askingTheWire'), []), false);
    assert.equal(denies(absent('awaitingForwarding'), []), false);
    assert.equal(denies(leave('verifying'), []), false);
    assert.equal(findDeniable([], new Set()).size, 0);
  });

  test(`${family}: what is held is affirmed, with doubt while this node has any`, () => {
    const affirm = (verdict: ReturnType<typeof leave>, held: readonly (typeof vip)[]) => {
      const { sure, unsure } = findAffirmable([{ ip: vip, ...verdict }], new Set(held));
      return `${[...sure].length} sure, ${[...unsure].length} unsure`;
    };
    const local = { ...leave('verifying'), reason: 'won', outcome: { kind: 'local' } } as never;
    assert.equal(affirm(local, [vip]), '1 sure, 0 unsure');
    assert.equal(affirm(local, []), '0 sure, 0 unsure');
    assert.equal(affirm(leave('verifying'), [vip]), '0 sure, 1 unsure');
    assert.equal(affirm(absent('lostElection'), [vip]), '0 sure, 0 unsure');
    const given = { ...(local as object), handover: { role: 'holder' } } as never;
    assert.equal(affirm(given, [vip]), '0 sure, 0 unsure');
  });
}
