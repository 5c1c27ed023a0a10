/** A Service whose address comes from Netbox: the record appears with the Service and vanishes with it. */

import { secrets, serviceGroups, services } from '../../src/kube/resources.ts';
import type { LabCluster } from '../cluster/lab-cluster.ts';
import { eventually } from '../eventually.ts';
import { inNamespace } from '../in-namespace.ts';
import type { Json } from '../netbox/netbox-request.ts';
import { asAdmin, setUpNetbox, tenant } from '../netbox/set-up.ts';
import { type RunningNetbox, startNetbox } from '../netbox/start-netbox.ts';
import { serverName } from '../network/plan-cluster.ts';
import { renderTable } from '../table.ts';
import { namespace, serviceOf } from './workload.ts';

type Say = (text: string) => void;

const port = 8000;
/** On the first LAN, beside the addresses of the group `default`. */
const prefix = '192.0.2.208/28';
const limit = { withinMs: 60_000 };
const ref = { namespace, name: 'from-netbox' };

export async function showNetbox(cluster: LabCluster, say: Say): Promise<number> {
  const server = cluster.lab.host(serverName);
  const netbox = await startNetbox({
    listen: (door) => inNamespace(server.namespace, () => door.listen(port)),
  });
  try {
    const token = setUpNetbox(netbox.netbox, { prefixes: [prefix] });
    await configure(cluster, `http://${server.ipv4}:${port}`, token);
    say(
      `\nA small Netbox answers inside the lab, with the prefix ${prefix}, and a ServiceGroup uses it.`,
    );
    await showService(cluster, netbox, say);
    return 0;
  } catch (error) {
    say(`It did not work out: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  } finally {
    await netbox.stop();
  }
}

async function configure({ cluster }: LabCluster, url: string, token: string): Promise<void> {
  const installed = 'purelb-system';
  const data = { 'user-token': Buffer.from(token).toString('base64') };
  const secret = { metadata: { name: 'netbox-client', namespace: installed }, data };
  await cluster.create(secrets, secret);
  await cluster.create(serviceGroups, {
    metadata: { name: 'netbox', namespace: installed },
    spec: {
      netbox: { url, tenant, prefixes: [prefix], tokenSecretRef: { name: 'netbox-client' } },
    },
  });
}

async function showService(lab: LabCluster, netbox: RunningNetbox, say: Say): Promise<void> {
  const { cluster } = lab;
  const { metadata, ...rest } = serviceOf(ref.name, 'local');
  const annotations = { ...metadata.annotations, 'purelb.io/service-group': 'netbox' };
  say('A Service is made.');
  await cluster.create(services, { ...rest, metadata: { ...metadata, annotations } });
  const ip = await eventually(() => addressOf(lab), limit);
  const holder = await eventually(() => holderOf(lab, ip), limit);
  say(`It has ${ip}, which ${holder} holds. Netbox has on record:\n`);
  say(describe(netbox));
  say('\nThe Service is deleted.');
  await cluster.delete(services, ref);
  await eventually(() => {
    if (records(netbox).length > 0) throw new Error('Netbox still has it on record');
  }, limit);
  say(
    `Netbox has nothing on record any more; it was asked ${netbox.requests.length} times in all.`,
  );
}

async function addressOf({ cluster }: LabCluster): Promise<string> {
  const { status } = await cluster.get(services, ref);
  const { loadBalancer } = (status ?? {}) as { loadBalancer?: { ingress?: { ip?: string }[] } };
  const ip = loadBalancer?.ingress?.[0]?.ip;
  if (ip === undefined) throw new Error(`no address yet: ${JSON.stringify(status)}`);
  return ip;
}

/** `auto`: on a link of the LAN that it belongs to, on the virtual link of nodes elsewhere. */
function holderOf({ addresses }: LabCluster, ip: string): string {
  const placed = addresses.find((each) => each.ip === ip && each.link !== 'kube-lb0');
  if (placed === undefined) throw new Error(`no node holds ${ip} on its LAN yet`);
  return `${placed.node} on ${placed.link}`;
}

function records({ netbox }: RunningNetbox): readonly Json[] {
  return asAdmin(netbox, 'GET', 'ipam/ip-addresses/')['results'] as readonly Json[];
}

function describe(netbox: RunningNetbox): string {
  const columns = ['ADDRESS', 'STATUS', 'TENANT', 'DESCRIPTION'].map((title) => ({ title }));
  const rows = records(netbox).map(({ address, status, tenant: owner, description }) => [
    String(address),
    String((status as Json)['value']),
    String((owner as Json)['slug']),
    String(description),
  ]);
  return renderTable(columns, rows);
}
