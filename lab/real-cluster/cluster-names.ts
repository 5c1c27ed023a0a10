/** Names of Services for pods of a real cluster, which ask at 10.96.0.10: a small name server beside the API server. */

import { createSocket } from 'node:dgram';
import type { Cluster } from '../../src/kube/cluster.ts';
import { endpointSlices, services } from '../../src/kube/resources.ts';
import { ipOf } from '../../src/model/ip.ts';
import { inNamespace } from '../in-namespace.ts';
import type { Host } from '../network/host.ts';
import { answerNameQuery, readNameQuery } from './name-query.ts';

const port = 53;
const clusterIP = '10.96.0.10';

/** Runs on the given host until it is closed; pods reach it by way of the Service `kube-dns`. */
export async function serveNames(cluster: Cluster, host: Host): Promise<Disposable> {
  const socket = createSocket({ type: 'udp4', lookup: atOnce }, (packet, sender) => {
    void answer(cluster, packet).then((reply) => {
      if (reply !== undefined) socket.send(reply, sender.port, sender.address);
    });
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    inNamespace(host.namespace, () => socket.bind(port, host.ipv4, resolve));
  });
  await publish(cluster, host);
  return { [Symbol.dispose]: () => socket.close() };
}

/** By default even an address is looked up later, and by then this thread has left the namespace. */
function atOnce(address: string, _: unknown, done: (error: null, ip: string, family: 4) => void) {
  done(null, address, 4);
}

async function answer(cluster: Cluster, packet: Buffer): Promise<Buffer | undefined> {
  const query = readNameQuery(packet);
  if (query === undefined) return undefined;
  const [, name, namespace] = /^([^.]+)\.([^.]+)\.svc\.cluster\.local$/i.exec(query.name) ?? [];
  if (name === undefined || namespace === undefined) return answerNameQuery(query, undefined);
  const found = await cluster.get(services, { namespace, name }).catch(() => undefined);
  const { clusterIPs = [] } = (found?.['spec'] ?? {}) as { readonly clusterIPs?: string[] };
  return answerNameQuery(query, found === undefined ? undefined : clusterIPs.map(ipOf));
}

async function publish(cluster: Cluster, host: Host): Promise<void> {
  const metadata = { name: 'kube-dns', namespace: 'kube-system' };
  const ports = [{ name: 'dns', protocol: 'UDP', port }];
  await cluster.create(services, { metadata, spec: { clusterIP, ports } });
  await cluster.create(endpointSlices, {
    metadata: { ...metadata, labels: { 'kubernetes.io/service-name': metadata.name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [host.ipv4] }],
    ports,
  });
}
