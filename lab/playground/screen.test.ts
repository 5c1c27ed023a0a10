import assert from 'node:assert/strict';
import { test } from 'node:test';
import { facts, ip, node, service, traffic } from './facts.fixture.ts';
import { drawScreen, type Picture } from './screen.ts';
import { toText, widthOf } from './styled-text.ts';

const keys = [
  'n new Service',
  'k kill a node',
  'c cut a cable',
  'f freeze an agent',
  'a API away',
  'd drain',
  'q quit',
].map((hint) => ({ key: hint.slice(0, 1), what: hint.slice(2) }));

function picture(changes: Partial<Picture> = {}): Picture {
  const story = Array.from({ length: 40 }, (_, index) => ({
    clock: '12:00:00',
    text: `Thing ${index} happened.`,
    style: 'plain' as const,
  }));
  return { facts: facts(), story, uptime: '0:42', keys, question: undefined, ...changes };
}

function draw(columns: number, rows: number, changes: Partial<Picture> = {}): readonly string[] {
  const lines = drawScreen(picture(changes), { columns, rows });
  assert.equal(lines.length, rows);
  for (const each of lines) assert.equal(widthOf(each), columns);
  return lines.map((each) => toText(each, false).trimEnd());
}

test('80 by 24 shows nodes, Services, packets, what happened and the keys', () => {
  assert.deepEqual(draw(80, 24), [
    ' PureLB playground                    5 nodes · embedded API · 12 writes · 0:42',
    ' NODES',
    ' ● ready  node1  lan1 192.0.2.11  1 pod',
    ' ● ready  node2  lan1 192.0.2.12  1 pod  192.0.2.100',
    ' ● ready  node3  lan1 192.0.2.13  1 pod',
    ' ● ready  node4  lan2 192.0.2.14  1 pod',
    ' ● ready  node5  lan2 192.0.2.15  1 pod',
    ' SERVICES',
    ' ●  default/web  192.0.2.100  local  on node2  2 pods',
    ' PACKETS from the client, answered over the last seconds',
    ' 192.0.2.100  1000/s  lost 0  web-1                                           █',
    ' ACTIVITY of PureLB, and on the wire, per second',
    ' API   1.0 renewals  0 writes       0 reads',
    ' lan1  40 echoes     0.4 questions  0 announcements  0 hints',
    ' WHAT HAPPENED',
    ...Array.from({ length: 7 }, (_, index) => ` 12:00:00 Thing ${33 + index} happened.`),
    ' n  new Service  k  kill a node  c  cut a cable  f  freeze an agent',
    ' a  API away  d  drain  q  quit',
  ]);
});

test('a wide terminal shows nodes and Services side by side', () => {
  const lines = draw(140, 30);
  assert.match(lines[1] ?? '', /^ NODES {30,}SERVICES$/);
  assert.match(lines[2] ?? '', /^ ● ready {2}node1 .* ● {2}default\/web {2}192\.0\.2\.100/);
});

test('a small terminal keeps the story and the keys', () => {
  const lines = draw(40, 12);
  assert.ok(lines.includes(' 12:00:00 Thing 39 happened.'));
  assert.match(lines.at(-1) ?? '', /q {2}quit/);
});

test('what is wrong is seen at a glance', () => {
  const wrong = { type: 'Allocated', isTrue: false, reason: 'PoolExhausted', message: 'full' };
  const lines = draw(100, 30, {
    facts: facts({
      nodes: [
        node(1, { power: 'off' }),
        node(2, { cable: 'out' }),
        node(3, { isReady: false }),
        node(4, { isCordoned: true }),
        node(5, { agent: 'frozen' }),
      ],
      services: [service({ ips: [], conditions: [wrong] }), service({ key: 'a/b', endpoints: 0 })],
      traffic: [traffic({ lost: 204, longestOutageMs: 204 })],
    }),
  });
  assert.deepEqual(lines.slice(2, 12), [
    ' ✗ off       node1  lan1 192.0.2.11                1 pod',
    ' ✗ cut       node2  lan1 192.0.2.12                1 pod',
    ' ! lost      node3  lan1 192.0.2.13                1 pod',
    ' – cordoned  node4  lan2 192.0.2.14                1 pod',
    ' ● ready     node5  lan2 192.0.2.15  agent frozen  1 pod',
    ' SERVICES',
    ' !  default/web  no address          PoolExhausted',
    ' ●  a/b          192.0.2.100  local  on nobody      no pods',
    ' PACKETS from the client, answered over the last seconds',
    lines[11],
  ]);
  assert.match(lines[11] ?? '', /lost 204 {2}gap 204 ms/);
});

test('a question takes the place of the keys', () => {
  assert.equal(draw(80, 24, { question: 'Kill which node? 1-5' }).at(-1), ' Kill which node? 1-5');
});

test('addresses of a dual-stack Service stand below each other', () => {
  const both = service({ ips: [ip('192.0.2.100'), ip('2001:db8::100')] });
  const lines = draw(100, 30, { facts: facts({ services: [both] }) });
  assert.match(lines[8] ?? '', /default\/web {2}192\.0\.2\.100 {4}local {2}on node2/);
  assert.match(lines[9] ?? '', /^ {17}2001:db8::100 {2}local {2}on nobody/);
});

test('the addresses that a node alone has come before those that all have', () => {
  const holds = [
    { ip: ip('203.0.113.128'), link: 'kube-lb0' },
    { ip: ip('192.0.2.100'), link: 'eth0' },
  ];
  const lines = draw(100, 30, { facts: facts({ nodes: [node(1, { holds })] }) });
  assert.match(lines[2] ?? '', /192\.0\.2\.100 203\.0\.113\.128$/);
});
