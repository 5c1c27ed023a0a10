/** What the programs of a node are told, as values. */

import { formatPrefix } from '../../src/model/prefix.ts';
import { podSubnets } from '../network/address-plan.ts';
import { pauseImage } from './lab-images.ts';

/** Pods of the n-th node: a cable to each, with addresses of the node's own subnets. */
export function networkPlugins(nodeNumber: number): object {
  const ranges = podSubnets(nodeNumber).map((subnet) => [{ subnet: formatPrefix(subnet) }]);
  // Under /run, so that a node that was switched off remembers no pods.
  const ipam = { type: 'host-local', dataDir: '/run/pod-addresses', ranges };
  const routes = ['0.0.0.0/0', '::/0'].map((dst) => ({ dst }));
  return {
    cniVersion: '1.0.0',
    name: 'lab',
    plugins: [{ type: 'ptp', mtu: 1500, ipam: { ...ipam, routes } }],
  };
}

/** `oom_score` and its like need a right that not every root has; AppArmor is not everywhere. */
export const containerdConfiguration = `version = 2
oom_score = 0
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
  disable_apparmor = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/run/bin"
    conf_dir = "/etc/cni/net.d"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      BinaryName = "/run/bin/runc"
      SystemdCgroup = false
`;

/** Four beats make a lease. */
export const leaseSeconds = 8;

export function kubeletConfiguration(caFile: string): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    failCgroupV1: false,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: '/',
    failSwapOn: false,
    oomScoreAdj: 0,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: caFile },
    },
    authorization: { mode: 'Webhook' },
    clusterDomain: 'cluster.local',
    // Nobody answers there, unless names are served (cluster-names.ts).
    clusterDNS: ['10.96.0.10'],
    resolvConf: '/etc/resolv.conf',
    makeIPTablesUtilChains: false,
    // The disk is the machine's, and none of the lab's business.
    imageGCHighThresholdPercent: 100,
    evictionHard: {
      'memory.available': '0%',
      'nodefs.available': '0%',
      'nodefs.inodesFree': '0%',
      'imagefs.available': '0%',
    },
    nodeStatusUpdateFrequency: '2s',
    nodeLeaseDurationSeconds: leaseSeconds,
    // Tokens and configuration reach pods the sooner.
    syncFrequency: '10s',
  };
}
