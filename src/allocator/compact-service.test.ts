import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoadBalancer } from '../model/load-balancer.ts';
import { must } from '../model/parsed.ts';
import { readService } from '../model/read-service.ts';
import { ServiceCompactor } from './compact-service.ts';

function read(name: string, annotations: Readonly<Record<string, string>> = {}): LoadBalancer {
  return must(
    readService({
      metadata: {
        name,
        namespace: 'shop',
        uid: `uid of ${name}`,
        annotations: {
          'purelb.io/service-group': 'default',
          'purelb.io/allocated-by': 'PureLB',
          'purelb.io/allocated-from': 'default',
          'purelb.io/allocated-prefixes': '192.0.2.1/24',
          ...annotations,
        },
      },
      spec: {
        type: 'LoadBalancer',
        clusterIP: '10.96.0.9',
        ipFamilies: ['IPv4'],
        ports: [{ port: 80, protocol: 'TCP' }],
      },
      status: {
        loadBalancer: { ingress: [{ ip: '192.0.2.1' }] },
        conditions: [{ type: 'Allocated', status: 'True', reason: 'Allocated', message: 'it has' }],
      },
    }),
  );
}

const everything = {
  'purelb.io/announcing-IPv4': 'node1,eth0,192.0.2.1',
  'purelb.io/addresses': '192.0.2.1',
  'purelb.io/allow-shared-ip': 'front',
};

test('what is kept of a Service says the same as the Service', () => {
  const compactor = new ServiceCompactor();
  for (const annotations of [{}, everything]) {
    for (const name of ['web', 'db']) {
      const service = read(name, annotations);
      assert.deepEqual(compactor.compact(service), service);
    }
  }
});

test('what is alike is kept once', () => {
  const compactor = new ServiceCompactor();
  const [left, right] = ['web', 'db'].map((name) => compactor.compact(read(name)));
  const parts = (service: LoadBalancer | undefined) => [
    service?.families,
    service?.ports,
    service?.request,
    service?.grant.pools,
    service?.grant.slots,
  ];
  for (const [index, part] of parts(left).entries()) assert.equal(part, parts(right)[index]);
  assert.notEqual(left?.grant, right?.grant);
});

test('what differs is not mistaken for the same', () => {
  const compactor = new ServiceCompactor();
  compactor.compact(read('web'));
  for (const [name, value] of Object.entries(everything)) {
    const service = read('db', { [name]: value });
    assert.deepEqual(compactor.compact(service), service);
  }
});

test('thousands that are all different are not kept for ever', () => {
  const compactor = new ServiceCompactor();
  const shared = compactor.compact(read('web')).request;
  for (let index = 0; index < 1_000; index += 1) {
    const service = read(`web-${index}`, { 'purelb.io/allow-shared-ip': `key-${index}` });
    assert.deepEqual(compactor.compact(service), service);
  }
  const later = compactor.compact(read('web')).request;
  assert.deepEqual(later, shared);
  assert.notEqual(later, shared);
});
