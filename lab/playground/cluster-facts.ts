/** What is known of the playground's cluster at one moment: from the API server, the kernels and the client. */

import type { Ip } from '../../src/model/ip.ts';
import type { RouterView } from '../router/router-watch.ts';
import type { Tally } from './rates.ts';
import type { Tick } from './strip-chart.ts';

export interface ClusterFacts {
  readonly nodes: readonly NodeFacts[];
  readonly services: readonly ServiceFacts[];
  readonly traffic: readonly TrafficFacts[];
  readonly api: ApiFacts;
  /** Undefined where nodes speak no BGP. */
  readonly router: RouterView | undefined;
  readonly activity: readonly ActivityFacts[];
}

export interface NodeFacts {
  readonly name: string;
  readonly lan: string;
  readonly ip: Ip;
  readonly power: 'on' | 'off';
  readonly cable: 'in' | 'out';
  readonly agent: 'running' | 'frozen' | 'gone';
  /** As the API server has it. */
  readonly isReady: boolean;
  readonly isCordoned: boolean;
  readonly pods: number;
  /** Addresses of Services that its kernel has, whoever thinks what. */
  readonly holds: readonly HeldFact[];
}

export interface HeldFact {
  readonly ip: Ip;
  readonly link: string;
}

export interface ServiceFacts {
  /** `namespace/name`. */
  readonly key: string;
  readonly type: string;
  readonly ips: readonly Ip[];
  /** How its addresses are announced; undefined while it has none. */
  readonly pool: { readonly name: string; readonly kind: 'local' | 'remote' } | undefined;
  readonly conditions: readonly ConditionFact[];
  readonly endpoints: number;
}

export interface ConditionFact {
  readonly type: string;
  readonly isTrue: boolean;
  readonly reason: string;
  readonly message: string;
}

export interface TrafficFacts {
  readonly ip: Ip;
  readonly ticks: readonly Tick[];
  readonly perSecond: number;
  readonly lost: number;
  /** The same of when all was well last. */
  readonly settledLost: number;
  readonly longestOutageMs: number;
  /** Who answered last. */
  readonly answeredBy: string | undefined;
}

export interface ApiFacts {
  readonly kind: 'embedded' | 'real';
  readonly isUp: boolean;
  /** By PureLB so far; undefined where nobody counts. */
  readonly writes: number | undefined;
}

/** What is going on at the API server, or on a segment, per second. */
export interface ActivityFacts {
  readonly where: string;
  readonly rates: Tally;
}

/** On whose kernel an address is, in the nodes' order. */
export function holdersOf(ip: Ip, { nodes }: ClusterFacts): readonly string[] {
  return nodes.filter(({ holds }) => holds.some((held) => held.ip === ip)).map(({ name }) => name);
}
