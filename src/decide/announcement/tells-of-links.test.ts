import assert from 'node:assert/strict';
import { test } from 'node:test';
import { link, route } from './node.fixture.ts';
import { tellsOfLinks } from './tells-of-links.ts';

const eth0 = link('eth0');

for (const [family, gateway, network, host] of [
  ['IPv4', '192.0.2.254', '198.51.100.0/24', '198.51.100.7/32'],
  ['IPv6', 'fe80::1', '2001:db8:7::/64', '2001:db8:7::7/128'],
] as const) {
  const tells = (text: string, table = 254) => tellsOfLinks(route(eth0, text, { table }));

  test(`${family}: default routes and those to networks on a link tell where addresses belong`, () => {
    assert.deepEqual([tells(`default via ${gateway}`), tells(network)], [true, true]);
  });

  test(`${family}: routes over a gateway, to a single host or of another table do not`, () => {
    assert.deepEqual(
      [tells(`${network} via ${gateway}`), tells(host), tells(network, 100), tells('default', 100)],
      [false, false, false, false],
    );
  });
}
