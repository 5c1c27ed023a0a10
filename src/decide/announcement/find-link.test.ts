import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ip, ipOf } from '../../model/ip.ts';
import { prefixOf } from '../../model/prefix.ts';
import { familySamples } from './cluster.fixture.ts';
import { findLink } from './find-link.ts';
import type { LinkHealth } from './judge-links.ts';
import { link } from './node.fixture.ts';
import type { LinkSurvey } from './survey-links.ts';

/** `eth0 192.0.2.0/24` or `eth0(down) 192.0.2.0/24`, in order. */
function surveyOf(...lines: readonly string[]): LinkSurvey {
  const links = lines.map((line) => {
    const [head = '', ...subnets] = line.split(' ');
    const [, name = '', health = 'ready'] = /^(\w+)(?:\((\w+)\))?$/.exec(head) ?? [];
    return { link: link(name), health: health as LinkHealth, subnets: subnets.map(prefixOf) };
  });
  return {
    kind: 'known',
    links: { ipv4: links, ipv6: links },
    passedOver: { ipv4: [], ipv6: [] },
  };
}

function find(ip: Ip, ...lines: readonly string[]): string {
  const finding = findLink(surveyOf(...lines), ip);
  if (finding.kind === 'link') return `${finding.link.name}/${finding.prefixLength}`;
  if (finding.kind === 'unready') return `${finding.link.name} ${finding.health}`;
  return finding.kind;
}

for (const { family, subnet, length, elsewhere, vip } of familySamples) {
  test(`${family}: T1: an address belongs on the link in its subnet, with the subnet's length`, () => {
    assert.equal(find(vip, `eth0 ${elsewhere}`, `eth1 ${subnet}`), `eth1/${length}`);
  });

  test(`${family}: of several links in its subnet the first wins`, () => {
    assert.equal(find(vip, `eth1 ${subnet}`, `eth0 ${subnet}`), `eth1/${length}`);
  });

  test(`${family}: a link that is not ready gives way to one that is`, () => {
    assert.equal(find(vip, `eth0(noCarrier) ${subnet}`, `eth1 ${subnet}`), `eth1/${length}`);
  });

  test(`${family}: if none is ready, that is another thing than having none`, () => {
    assert.equal(find(vip, `eth0(settling) ${subnet}`, `eth1(down) ${subnet}`), 'eth0 settling');
    assert.equal(find(vip, `eth0 ${elsewhere}`, 'eth1'), 'none');
    assert.equal(find(vip), 'none');
  });

  test(`${family}: what could not be read is unknown`, () => {
    assert.deepEqual(findLink({ kind: 'unknown', unread: ['routes'] }, vip), {
      kind: 'unknown',
      unread: ['routes'],
    });
  });
}

test('of overlapping networks of one link the first that contains the address gives the length', () => {
  assert.equal(find(ipOf('192.0.2.100'), 'eth0 192.0.2.0/24 192.0.0.0/16'), 'eth0/24');
  assert.equal(find(ipOf('192.0.3.100'), 'eth0 192.0.2.0/24 192.0.0.0/16'), 'eth0/16');
});

for (const [subnet, vip, length] of [
  ['192.0.2.0/24', '192.0.2.100', 32],
  ['2001:db8::/64', '2001:db8::100', 64],
] as const) {
  test(`in ${subnet}, known only from a route, an address has the length /${length}`, () => {
    const subnets = [{ ...prefixOf(subnet), isFromRoute: true as const }];
    const links = [{ link: link('eth0'), health: 'ready' as const, subnets }];
    const passedOver = { ipv4: [], ipv6: [] };
    const survey = { kind: 'known', links: { ipv4: links, ipv6: links }, passedOver } as const;
    const found = findLink(survey, ipOf(vip));
    assert.equal(found.kind === 'link' && found.prefixLength, length);
  });
}
