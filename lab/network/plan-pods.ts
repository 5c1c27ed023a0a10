/** Plans pods without a container runtime: a host behind each node, on a segment that only these two are on. */

import { addressIn, hostNumbers, macFor, podSubnets } from './address-plan.ts';
import type { HostPlan, NetworkPlan, NicPlan, SegmentPlan } from './network-plan.ts';
import { nodeNumber } from './plan-cluster.ts';

const podNumber = hostNumbers.firstNode;
/** Of the nodes' LANs there are fewer, so that MACs tell them apart. */
const firstSegmentNumber = 10;
const largestNode = 88;

/** Adds `pod1` behind `node1`, and so on. Nodes must know the way to each other's pods: see `planCluster`. */
export function withPods(plan: NetworkPlan): NetworkPlan {
  const nodes = plan.hosts.filter(({ role }) => role === 'node');
  return {
    segments: [...plan.segments, ...nodes.map(podSegment)],
    hosts: [
      ...plan.hosts.map((host) => (host.role === 'node' ? withBridge(host) : host)),
      ...nodes.map(planPod),
    ],
  };
}

function podSegment(node: HostPlan): SegmentPlan {
  const number = nodeNumber(node);
  if (number > largestNode) throw new RangeError(`no room for the pods of ${node.name}`);
  const [ipv4, ipv6] = podSubnets(number);
  return { name: `pods${number}`, number: firstSegmentNumber + number, ipv4, ipv6, mtu: 1500 };
}

/** The node's end is called what container network plugins call it. */
function withBridge(node: HostPlan): HostPlan {
  return { ...node, nics: [...node.nics, podNic(node, 'cni0', hostNumbers.router)] };
}

function planPod(node: HostPlan): HostPlan {
  return {
    name: `pod${nodeNumber(node)}`,
    role: 'pod',
    nics: [podNic(node, 'eth0', podNumber)],
    routes: podSubnets(nodeNumber(node)).map((subnet) => ({
      via: addressIn(subnet, hostNumbers.router).ip,
    })),
    forwards: false,
    detectsDuplicates: node.detectsDuplicates,
  };
}

function podNic(node: HostPlan, name: string, hostNumber: number): NicPlan {
  const segment = podSegment(node);
  return {
    name,
    segment: segment.name,
    mac: macFor(segment.number, 0, hostNumber),
    addresses: podSubnets(nodeNumber(node)).map((subnet) => addressIn(subnet, hostNumber)),
    mtu: segment.mtu,
  };
}
