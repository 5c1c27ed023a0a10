import assert from 'node:assert/strict';
import { test } from 'node:test';
import { containerdConfiguration, kubeletConfiguration, networkPlugins } from './node-files.ts';

test('the pods of a node get addresses of its own subnets, and a way out in both families', () => {
  assert.deepEqual(networkPlugins(4), {
    cniVersion: '1.0.0',
    name: 'lab',
    plugins: [
      {
        type: 'ptp',
        mtu: 1500,
        ipam: {
          type: 'host-local',
          dataDir: '/run/pod-addresses',
          ranges: [[{ subnet: '198.19.4.0/24' }], [{ subnet: '2001:db8:f004::/64' }]],
          routes: [{ dst: '0.0.0.0/0' }, { dst: '::/0' }],
        },
      },
    ],
  });
});

test('kubelet and containerd agree on where they meet, and on who owns control groups', () => {
  const { containerRuntimeEndpoint, cgroupDriver } = kubeletConfiguration('/ca') as Record<
    string,
    unknown
  >;
  assert.equal(containerRuntimeEndpoint, 'unix:///run/containerd/containerd.sock');
  assert.equal(cgroupDriver, 'cgroupfs');
  assert.match(containerdConfiguration, /SystemdCgroup = false/);
});
