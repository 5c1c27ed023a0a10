import assert from 'node:assert/strict';
import { test } from 'node:test';
import { member } from '../decide/announcement/cluster.fixture.ts';
import { snapshotOf } from '../decide/announcement/snapshot.fixture.ts';
import { linkOfNode, macOfNode } from '../decide/announcement/wire.fixture.ts';
import { type Ip, ipOf } from '../model/ip.ts';
import { prefixOf } from '../model/prefix.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import type { Hint } from '../wire/hint.ts';
import type { HintSender } from './hints.ts';
import { Inquiries } from './inquiries.ts';

const ip = ipOf('192.0.2.100');
const other = ipOf('2001:db8::100');
const ipOfB = ipOf('192.0.2.12');
const number = 2 ** 47 + 2 ** 22;
const denial = { kind: 'denial', number, ip } as const;

const b: HintSender = { ip: ipOfB, node: 'b', keyId: undefined };

type Sent = readonly [Hint, readonly Ip[]];

function build() {
  const clock = new ManualClock();
  const sent: Sent[] = [];
  const news = { count: 0 };
  const inquiries = new Inquiries({
    node: 'a',
    hints: {
      send: (hint, to) => sent.push([hint, to]),
      reply: (hint, to) => sent.push([hint, [to.ip]]),
    },
    clock,
    drawNumber: () => number,
    onNews: () => {
      news.count += 1;
    },
  });
  const links = [{ ...linkOfNode('b'), addresses: [prefixOf(`${ipOfB}/24`)] }];
  const members = [member('b', { links })];
  const { wire: usual } = snapshotOf();
  const look = {
    link: 'eth0',
    sentAt: [0],
    answers: [{ mac: macOfNode('b'), at: 0 }],
    isDeaf: false,
  };
  const ask = () => inquiries.ask({ ...usual, looks: new Map([[ip, look]]) }, members);
  return { clock, inquiries, sent, news, ask };
}

test('a member that answers is asked by itself, and what it denies is remembered', () => {
  const { inquiries, sent, news, ask } = build();
  assert.equal(ask(), 200);
  assert.deepEqual(sent, [[{ kind: 'question', ip, number }, [ipOfB]]]);
  inquiries.hear(denial, b);
  assert.deepEqual(inquiries.answers.denials, new Map([[ip, new Map([['b', 0]])]]));
  assert.equal(news.count, 1);
});

test('a denial without the number of a question is nothing, nor one that comes too late', async () => {
  const { inquiries, clock, ask } = build();
  inquiries.hear(denial, b);
  ask();
  inquiries.hear({ ...denial, number: number + 1 }, b);
  await clock.advance(2_001);
  ask();
  inquiries.hear(denial, b);
  assert.deepEqual(inquiries.answers.denials, new Map());
});

test('a denial by another member, or of another address, is nothing', () => {
  const { inquiries, ask } = build();
  ask();
  inquiries.hear(denial, { ...b, node: 'c' });
  inquiries.hear(denial, { ...b, node: undefined });
  inquiries.hear({ ...denial, ip: other }, b);
  assert.deepEqual(inquiries.answers.denials, new Map());
  inquiries.hear({ ...denial, ip: undefined }, b);
  assert.deepEqual([...inquiries.answers.denials.keys()], [ip]);
});

test('a denial is forgotten after a minute', async () => {
  const { inquiries, clock, ask } = build();
  ask();
  inquiries.hear(denial, b);
  await clock.advance(60_001);
  ask();
  assert.deepEqual(inquiries.answers.denials, new Map());
});

test('who asks is told what this node does not hold, and of anything else nothing', () => {
  const { inquiries, sent, news } = build();
  const question = (asked: Ip) => ({ kind: 'question', ip: asked, number: 7 }) as const;
  inquiries.attend(new Set([ip, other]));
  inquiries.hear(question(ip), b);
  assert.deepEqual(sent, []);
  assert.deepEqual([...inquiries.asked.keys()], [ip]);
  assert.equal(news.count, 1);
  inquiries.deny(new Set([other]));
  inquiries.hear(question(other), b);
  assert.deepEqual(sent, [[{ kind: 'denial', number: 7, ip: other }, [ipOfB]]]);
  assert.equal(news.count, 1);
});

test('a question for what no Service has is not even remembered, whoever floods with them', () => {
  const { inquiries, news } = build();
  inquiries.attend(new Set([ip]));
  inquiries.hear({ kind: 'question', ip: other, number: 7 }, b);
  assert.deepEqual([inquiries.asked.size, news.count], [0, 0]);
});

test('who asks with a signature is told what this node holds, once a pass has looked', () => {
  const { inquiries, sent } = build();
  const question = (asked: Ip) => ({ kind: 'question', ip: asked, number: 7 }) as const;
  const signed = { ...b, keyId: 1 };
  inquiries.attend(new Set([ip, other]));
  inquiries.hear(question(ip), signed);
  inquiries.hear(question(other), b);
  assert.deepEqual(sent, []);
  const affirmation = { kind: 'affirmation', ip, number: 7 } as const;
  inquiries.affirm({ sure: new Set([ip, other]), unsure: new Set() });
  assert.deepEqual(sent.splice(0), [[{ ...affirmation, isSure: true }, [ipOfB]]]);
  inquiries.affirm({ sure: new Set([ip, other]), unsure: new Set() });
  assert.deepEqual(sent, []);
  inquiries.hear(question(ip), signed);
  inquiries.affirm({ sure: new Set(), unsure: new Set([ip]) });
  assert.deepEqual(sent.splice(0), [[{ ...affirmation, isSure: false }, [ipOfB]]]);
  inquiries.hear(question(ip), signed);
  inquiries.deny(new Set([ip]));
  inquiries.affirm({ sure: new Set(), unsure: new Set() });
  assert.deepEqual(sent.splice(0), [[{ kind: 'denial', ip, number: 7 }, [ipOfB]]]);
});

test('a question that waited too long for a pass is not answered', async () => {
  const { inquiries, sent, clock } = build();
  inquiries.attend(new Set([ip]));
  inquiries.hear({ kind: 'question', ip, number: 7 }, { ...b, keyId: 1 });
  await clock.advance(2_001);
  inquiries.affirm({ sure: new Set([ip]), unsure: new Set() });
  assert.deepEqual(sent, []);
});

test('an affirmation counts with a signature and the number of its question', () => {
  const { inquiries, ask } = build();
  const affirmation = { kind: 'affirmation', ip, number, isSure: true } as const;
  const signed = { ...b, keyId: 1 };
  inquiries.hear(affirmation, signed);
  ask();
  inquiries.hear(affirmation, b);
  inquiries.hear({ ...affirmation, number: number + 1 }, signed);
  inquiries.hear({ ...affirmation, ip: other }, signed);
  inquiries.hear(affirmation, { ...signed, node: 'c' });
  assert.equal(inquiries.answers.admissions.size, 0);
  const said = new Map([[ip, new Map([['b', 0]])]]);
  inquiries.hear({ ...affirmation, isSure: false }, signed);
  assert.deepEqual([inquiries.answers.admissions, inquiries.answers.affirmed.size], [said, 0]);
  inquiries.hear(affirmation, signed);
  assert.deepEqual(inquiries.answers.affirmed, said);
});

test('whoever says nothing is remembered with when it was asked first, until it is asked no more', async () => {
  const { inquiries, ask, clock } = build();
  const silent = new Map([[ip, new Map([['b', 0]])]]);
  ask();
  await clock.advance(1_000);
  ask();
  assert.deepEqual(inquiries.answers.unanswered, silent);
  inquiries.hear(denial, b);
  assert.equal(inquiries.answers.unanswered.size, 0);
  ask();
  await clock.advance(7_000);
  ask();
  assert.equal(inquiries.answers.unanswered.size, 0);
});

test('an agent that has not read the cluster denies every address that it does not hold', () => {
  const { inquiries, sent } = build();
  inquiries.attendHeld(new Set([other]));
  for (const asked of [ip, other]) inquiries.hear({ kind: 'question', ip: asked, number }, b);
  assert.deepEqual(sent, [[denial, [ipOfB]]]);
});
