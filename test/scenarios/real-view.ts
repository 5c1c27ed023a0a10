/** What can be seen of PureLB on a real cluster: by kubectl, by its clients, in its processes and in the audit log. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { askEcho, askWeb, type WebAnswer } from '../../lab/cluster/ask.ts';
import { agentUser, allocatorUser, installNamespace } from '../../lab/cluster/installed-objects.ts';
import { addressesOf } from '../../lab/cluster/workload.ts';
import { type Answer, ApiClient, type ApiRequest } from '../../lab/control-plane/api-client.ts';
import type { AuditEntry } from '../../lab/control-plane/audit-log.ts';
import { eventually } from '../../lab/eventually.ts';
import { commandOf, processesIn } from '../../lab/network/demolish.ts';
import type { Host } from '../../lab/network/host.ts';
import { type Kubectl, kubectlOf } from '../../lab/real-cluster/install.ts';
import type { RealCluster } from '../../lab/real-cluster/start-real-cluster.ts';
import { services } from '../../src/kube/resources.ts';
import { type Ip, ipOf } from '../../src/model/ip.ts';

export const soon = { withinMs: 120_000, everyMs: 200 };

const secrets = 'var/run/secrets/kubernetes.io/serviceaccount';

/** As the process finds it in its container. */
export function tokenOf(pid: number): string {
  return readFileSync(`/proc/${pid}/root/${secrets}/token`, 'utf8');
}

/** The name that the audit log has for a token (RFC 7519, 4.1.7). */
export function credentialOf(token: string): string {
  const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8');
  const { jti } = JSON.parse(claims) as { readonly jti: string };
  return `JTI=${jti}`;
}

export class RealView {
  readonly real: RealCluster;
  readonly kubectl: Kubectl;

  constructor(real: RealCluster) {
    this.real = real;
    this.kubectl = kubectlOf(real.cluster.kubeconfig);
  }

  /** One on the nodes' LAN, one beyond the router. */
  get clients(): readonly Host[] {
    return this.real.cluster.lab.clients;
  }

  get nodes(): readonly Host[] {
    return this.real.cluster.lab.nodes;
  }

  get agentPids(): readonly number[] {
    return this.nodes.map(({ name }) => this.real.programs.agents.get(name)?.pid ?? 0);
  }

  /** Processes of this program, in whatever containers, on all nodes. */
  pidsOf(program: string): readonly number[] {
    const isOne = (pid: number) => commandOf(pid)[0] === program;
    return processesIn(this.nodes.map(({ namespace }) => namespace)).filter(isOne);
  }

  async addressesIn(name: string): Promise<readonly Ip[]> {
    const { cluster } = this.real.cluster;
    const found = addressesOf(await cluster.get(services, { namespace: 'default', name }));
    assert.ok(found.length > 0, `${name} has no address`);
    return found.map(ipOf);
  }

  holders(ip: Ip): readonly string[] {
    const placed = this.real.cluster.addresses.filter((each) => each.ip === ip);
    return placed.map(({ node }) => node).sort();
  }

  /** All its addresses, by all clients. */
  async isAnswered(name: string, pods = /^web-/): Promise<void> {
    const ips = await eventually(() => this.addressesIn(name), soon);
    assert.equal(ips.length, name.startsWith('single') ? 1 : 2, name);
    for (const ip of ips) for (const client of this.clients) await this.answersOf(client, ip, pods);
  }

  /** Over TCP and UDP. */
  async answersOf(client: Host, ip: Ip, pods = /^web-/): Promise<void> {
    await eventually(async () => {
      const answer = await askWeb(client.entry, ip);
      const node = (answer as WebAnswer).node ?? String(answer);
      assert.match(node, /^node\d$/, `${ip} for ${client.name}`);
      assert.match(await askEcho(client.entry, ip), pods);
    }, soon);
  }

  /** What a pod with Node in it reads at port 80 of an address. */
  async askFromPod(pod: string, ip: Ip): Promise<string> {
    const url = `http://${ip.includes(':') ? `[${ip}]` : ip}/`;
    const script = `fetch('${url}').then((it) => it.text()).then(console.log)`;
    return this.kubectl('exec', pod, '-c', 'web', '--', 'node', '-e', script);
  }

  /** The value of one series at each agent. */
  async metric(series: string): Promise<readonly number[]> {
    return Promise.all(
      this.nodes.map(async ({ ipv4 }) => {
        const answer = await fetch(`http://${ipv4}:7472/metrics`);
        const lines = (await answer.text()).split('\n');
        const line = lines.find((each) => each.startsWith(`${series} `));
        return line === undefined ? 0 : Number(line.slice(series.length + 1));
      }),
    );
  }

  /** The keys that each node's Lease names, the newest first. */
  async peerKeys(): Promise<readonly string[]> {
    return Promise.all(
      this.nodes.map(async ({ name }) => {
        const path = 'jsonpath={.metadata.annotations.purelb\\.io/peer-keys}';
        const lease = `lease/purelb-node-${name}`;
        return this.kubectl('-n', installNamespace, 'get', lease, '-o', path);
      }),
    );
  }

  /** `reason object: message` of all Events in PureLB's namespace with this reason. */
  async eventsOf(reason: string): Promise<readonly string[]> {
    const selector = ['--field-selector', `reason=${reason}`];
    const found = await this.kubectl(
      '-n',
      installNamespace,
      'get',
      'events',
      ...selector,
      '-o',
      'json',
    );
    const { items } = JSON.parse(found) as {
      readonly items: readonly { involvedObject: { name: string }; message: string }[];
    };
    return items.map(({ involvedObject, message }) => `${involvedObject.name}: ${message}`);
  }

  /** A second token of the agent's pod on this node, as somebody who took over the node could ask for. */
  async stolenToken(node: string): Promise<string> {
    const selection = ['-l', 'component=lbnodeagent', '--field-selector', `spec.nodeName=${node}`];
    const pod = await this.kubectl(
      '-n',
      installNamespace,
      'get',
      'pod',
      ...selection,
      '-o',
      'name',
    );
    const bound = ['--bound-object-kind=Pod', `--bound-object-name=${pod.trim().slice(4)}`];
    const made = await this.kubectl(
      '-n',
      installNamespace,
      'create',
      'token',
      'lbnodeagent',
      ...bound,
    );
    return made.trim();
  }

  /** What the API server answers to somebody with this token. */
  async ask(token: string, request: ApiRequest): Promise<Answer> {
    const client = new ApiClient(this.real.api.server.url, this.real.api.ca, { token });
    try {
      return await client.send(request);
    } finally {
      client.close();
    }
  }

  /** The tokens by which the agents renewed their Leases so far. */
  credentials(): ReadonlySet<string> {
    const entries = this.real.api.server.auditEntries();
    const own = entries.filter(({ user, resource, code }) => {
      return user === agentUser && resource === 'leases' && code === 200;
    });
    return new Set(own.flatMap(({ credential }) => credential ?? []));
  }

  /** What PureLB's programs were forbidden to do; `except` are tokens that somebody else used. */
  refusals(except: ReadonlySet<string>): readonly string[] {
    const isOurs = ({ code, user, credential = '' }: AuditEntry) =>
      code === 403 && [agentUser, allocatorUser].includes(user) && !except.has(credential);
    const entries = this.real.api.server.auditEntries().filter(isOurs);
    return entries.map(({ user, verb, resource }) => `${user} ${verb} ${resource}`);
  }
}
