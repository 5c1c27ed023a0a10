/** Who answers on the wire, for tests: nodes are called by one letter, which makes their MAC. */

import { type Mac, macOf } from '../../model/mac.ts';
import type { MemberLink } from '../../model/member.ts';
import { member } from './cluster.fixture.ts';
import { collectIdentities, type Identities } from './identities.ts';

export function macOfNode(name: string): Mac {
  const last = (name.codePointAt(0) ?? 0).toString(16).padStart(2, '0');
  return macOf(`02:00:5e:10:00:${last}`);
}

export function linkOfNode(name: string): MemberLink {
  return { name: 'eth0', macs: [macOfNode(name)], addresses: [], gateways: [] };
}

export function identitiesOf(me: string, ...others: readonly string[]): Identities {
  const members = others.map((node) => member(node, { links: [linkOfNode(node)] }));
  return collectIdentities(me, [linkOfNode(me)], members);
}
