import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Mac, macOf } from '../../model/mac.ts';
import { type AdoptedFacts, judgeAdopted } from './judge-adopted.ts';

const mine = macOf('02:00:00:00:00:05');
const other = macOf('02:00:00:00:00:06');
const askedAt = 10_000;

function judge(repliers: readonly Mac[], more: Partial<AdoptedFacts> & { isDeaf?: boolean } = {}) {
  const { isDeaf = false, ...facts } = more;
  const answers = repliers.map((mac) => ({ mac, at: askedAt + 1 }));
  const verdict = judgeAdopted({
    look: { link: 'eth0', sentAt: [askedAt, askedAt + 40], answers, isDeaf },
    announcedAt: new Map(),
    ownMacs: new Set([mine]),
    proxies: new Set(),
    isOnEveryNode: false,
    ...facts,
  });
  return `${verdict.ownership}${verdict.mac === undefined ? '' : ` ${verdict.mac}`}`;
}

test('an address is free if nobody but this node replies', () => {
  assert.equal(judge([]), 'free');
  assert.equal(judge([mine]), 'free');
});

test('silence proves nothing where the question or the reply may have been lost', () => {
  assert.equal(judge([], { isDeaf: true }), 'unheard');
  assert.equal(judge([], { look: undefined }), 'unheard');
});

test('a host that replies without announcing the address may own it', () => {
  assert.equal(judge([other]), `answered ${other}`);
});

test('a host that announced the address just before, or in reply, and replies owns it', () => {
  for (const at of [askedAt - 3_000, askedAt + 20]) {
    assert.equal(judge([other], { announcedAt: new Map([[other, at]]) }), `owned ${other}`);
  }
  const old = new Map([[other, askedAt - 3_001]]);
  assert.equal(judge([other], { announcedAt: old }), `answered ${other}`);
});

test('an announcement without a reply is no proof: frames are forged', () => {
  assert.equal(judge([], { announcedAt: new Map([[other, askedAt]]) }), 'free');
});

test('where IPVS keeps the address on every node, only announcements count', () => {
  const isOnEveryNode = true;
  assert.equal(judge([other], { isOnEveryNode }), 'free');
  const announcedAt = new Map([[other, askedAt]]);
  assert.equal(judge([other], { isOnEveryNode, announcedAt }), `owned ${other}`);
});

test('a proxy owns nothing', () => {
  assert.equal(judge([other], { proxies: new Set([other]) }), 'free');
});
