import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  cleanupFinalizer,
  ignoredServices,
  loadBalancerClasses,
  nodeLeasePrefix,
  recordsFinalizer,
} from './well-known-names.ts';

test('names are what upstream and Kubernetes call these things', () => {
  assert.deepEqual(loadBalancerClasses, ['purelb.io/purelbv2', 'purelb.io/purelb']);
  assert.equal(cleanupFinalizer, 'service.kubernetes.io/load-balancer-cleanup');
  assert.equal(recordsFinalizer, 'purelb.io/release-records');
  assert.equal(`${nodeLeasePrefix}node1`, 'purelb-node-node1');
  assert.equal(ignoredServices.has('kube-system/kube-dns'), true);
});
