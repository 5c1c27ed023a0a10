/**
 * Two addresses, one of each family, that all nodes rank alike: when their holder dies, both go to the same node. So
 * one event shows what becomes of either.
 */

import { rankNodes } from '../../src/decide/announcement/rank-nodes.ts';
import { type Family, type Ip, ipOf } from '../../src/model/ip.ts';

/** Of the group `default`, from its start. */
const first = ipOf('192.0.2.100');
const others = Array.from({ length: 100 }, (_, index) =>
  ipOf(`2001:db8:1::${(0x100 + index).toString(16)}`),
);

export function chooseAlike(nodes: readonly string[]): Readonly<Record<Family, Ip>> {
  const order = rankNodes(first, nodes).join();
  const second = others.find((ip) => rankNodes(ip, nodes).join() === order);
  if (second === undefined) throw new Error(`no address is ranked by ${nodes.join()} as ${first}`);
  return { ipv4: first, ipv6: second };
}
