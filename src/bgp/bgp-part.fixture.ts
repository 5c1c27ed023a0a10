/** The BGP part of one node on a fake daemon, a fake kernel and an API server in memory, on a clock that stands still. */

import { Api } from '../../lab/api/api.ts';
import { seededIdentities } from '../../lab/api/rest/identities.ts';
import { collectionPath, readManifest } from '../../lab/manifest.ts';
import { MemoryTransport } from '../../test/allocator/memory-transport.ts';
import { clusterNode } from '../decide/announcement/cluster.fixture.ts';
import { FakeSpeaker } from '../gobgp/fake-speaker.ts';
import { EventRecorder } from '../kube/event-recorder.ts';
import { HttpCluster } from '../kube/http-cluster.ts';
import { FakeKernel } from '../linux/fake-kernel.ts';
import { pathKey } from '../model/bgp-path.ts';
import { ipOf } from '../model/ip.ts';
import type { KubeObject } from '../model/kube-object.ts';
import { Log } from '../runtime/log.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { Metrics } from '../runtime/metrics.ts';
import { BgpMetrics } from './bgp-metrics.ts';
import { BgpPart } from './bgp-part.ts';
import type { BgpSurroundings } from './bgp-setup.ts';

const namespace = 'purelb-system';
const configs = `/apis/bgp.purelb.io/v1/namespaces/${namespace}/configs`;

export const surroundings: BgpSurroundings = {
  me: clusterNode('node1', { internalIps: [ipOf('192.0.2.11')] }),
  members: [],
  services: [],
  protectedPrefixes: [],
  virtualLink: 'kube-lb0',
  unmarkedServed: [],
  isSpokesman: true,
};

export class BgpBench implements AsyncDisposable {
  readonly clock = new ManualClock();
  readonly speaker = new FakeSpeaker();
  readonly kernel = new FakeKernel({ now: () => this.clock.monotonic() });
  readonly part: BgpPart;
  readonly #api: Api;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor() {
    const { clock, speaker, kernel } = this;
    this.#api = new Api({ clock, identities: seededIdentities(1) });
    for (const name of ['bgpconfigurations', 'bgpnodestatuses']) {
      for (const object of readManifest(`crds/bgp.purelb.io_${name}`)) {
        this.send('POST', collectionPath(object), object);
      }
    }
    for (const name of [namespace, 'shop']) {
      this.send('POST', '/api/v1/namespaces', { metadata: { name } });
    }
    const exchange = async (request: Parameters<Api['handle']>[0]) => this.#api.handle(request);
    const transport = new MemoryTransport({ api: { exchange }, token: '', clock });
    const cluster = new HttpCluster({ transport, clock });
    const random = () => 0.5;
    const reporter = { controller: 'purelb-lbnodeagent', instance: 'node1' };
    this.part = new BgpPart({
      cluster,
      kernel,
      routes: { marked: async () => [], apply: async () => [], close: () => {} },
      speaker,
      events: new EventRecorder({ cluster, clock, random, ...reporter }),
      clock,
      random,
      log: Log.create({ level: 'error', sink: () => {} }),
      metrics: new BgpMetrics(new Metrics(() => {})),
      node: 'node1',
      installNamespace: namespace,
      endpoint: 'unix:///run/gobgp.sock',
      observe: () => {},
    });
    kernel.machine.addLink({ name: 'kube-lb0', kind: 'dummy' });
    this.#running = this.part.run(this.#stopping.signal);
  }

  send(method: string, url: string, body?: unknown): KubeObject {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const text = body === undefined ? '' : JSON.stringify(body);
    const answer = this.#api.handle({ method, url, headers: { 'content-type': type }, body: text });
    if (answer.status >= 300) throw new Error(`${method} ${url}: ${answer.status} ${answer.body}`);
    return JSON.parse(String(answer.body)) as KubeObject;
  }

  configure(spec: object = {}): void {
    const neighbors = [{ config: { peerAsn: 64_501, neighborAddress: '198.51.100.1' } }];
    const netlinkImport = { enabled: true, interfaceList: ['kube-lb0'] };
    this.send('POST', configs, {
      apiVersion: 'bgp.purelb.io/v1',
      kind: 'BGPConfiguration',
      metadata: { name: 'default', namespace },
      spec: { global: { asn: 64_500 }, neighbors, netlinkImport, ...spec },
    });
  }

  unconfigure(): void {
    this.send('DELETE', `${configs}/default`);
  }

  conditions(): readonly string[] {
    const { status } = this.send('GET', `${configs}/default`);
    const { conditions = [] } = (status ?? {}) as { conditions?: readonly ConditionText[] };
    return conditions.map(({ type, status: is, reason }) => `${type}=${is} ${reason}`);
  }

  nodeStatus(): KubeObject {
    return this.send('GET', '/apis/bgp.purelb.io/v1/bgpnodestatuses/node1');
  }

  events(): readonly string[] {
    const { items = [] } = this.send('GET', '/apis/events.k8s.io/v1/events') as KubeObject & {
      items?: readonly { reason: string; regarding: { kind: string; name: string } }[];
    };
    return items.map(({ reason, regarding }) => `${regarding.kind} ${regarding.name}: ${reason}`);
  }

  async place(kind: 'add' | 'remove', text: string): Promise<void> {
    const [ip = '', length = ''] = text.split('/');
    const place = { link: 'kube-lb0', ip: ipOf(ip), prefixLength: Number(length) };
    const forever = { validSeconds: Infinity, preferredSeconds: Infinity };
    const address = { ...place, ...forever, noPrefixRoute: false, noDad: true };
    await this.kernel.apply([kind === 'add' ? { kind, address } : { kind, address: place }]);
  }

  async paths(): Promise<readonly string[]> {
    return (await this.speaker.read()).paths.map(pathKey).sort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.clock.advance(1_000);
    await this.#running;
    this.kernel.close();
  }
}

interface ConditionText {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}
