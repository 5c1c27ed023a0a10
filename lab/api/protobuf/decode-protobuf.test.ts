import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeProtobuf } from './decode-protobuf.ts';

type Part = readonly [number: number, value: string | number | Buffer];

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}

/** A message of these fields. */
function message(...parts: readonly Part[]): Buffer {
  return Buffer.concat(
    parts.map(([number, value]) => {
      if (typeof value === 'number') return Buffer.concat([varint(number * 8), varint(value)]);
      const bytes = Buffer.from(value);
      return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
    }),
  );
}

function envelope(apiVersion: string, kind: string, object: Buffer): Buffer {
  const typeMeta = message([1, apiVersion], [2, kind]);
  return Buffer.concat([Buffer.from('k8s\0'), message([1, typeMeta], [2, object])]);
}

test('names, maps, lists, ports by number and by name', () => {
  const label = message([1, 'app'], [2, 'web']);
  const port = (number: number, target: Buffer) =>
    message([1, ''], [2, 'TCP'], [3, number], [4, target], [5, 0]);
  const spec = message(
    [1, port(80, message([1, 0], [2, 8080], [3, '']))],
    [1, port(443, message([1, 1], [2, 0], [3, 'https']))],
    [2, label],
    [13, 1],
  );
  const metadata = message([1, 'web'], [3, ''], [8, Buffer.alloc(0)], [11, label]);
  const object = decodeProtobuf(envelope('v1', 'Service', message([1, metadata], [2, spec])));
  const shared = { name: '', protocol: 'TCP', nodePort: 0 };
  assert.deepEqual(object, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web', namespace: '', labels: { app: 'web' } },
    spec: {
      ports: [
        { ...shared, port: 80, targetPort: 8080 },
        { ...shared, port: 443, targetPort: 'https' },
      ],
      selector: { app: 'web' },
      publishNotReadyAddresses: true,
    },
  });
});

test('bytes are base64, times are text, and inlined structs lie open', () => {
  const data = message([1, 'word'], [2, 'abc']);
  const time = message([1, 1_767_225_600]);
  const secret = message([1, message([1, 's'], [8, time])], [2, data]);
  assert.deepEqual(decodeProtobuf(envelope('v1', 'Secret', secret)), {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', creationTimestamp: '2026-01-01T00:00:00.000Z' },
    data: { word: 'YWJj' },
  });
  const source = message([19, message([1, message([1, 'settings'])])]);
  const volume = message([1, 'v'], [2, source]);
  const pod = decodeProtobuf(envelope('v1', 'Pod', message([2, message([1, volume])])));
  assert.deepEqual(pod?.['spec'], { volumes: [{ name: 'v', configMap: { name: 'settings' } }] });
});

test('kinds of groups, and options of a request', () => {
  const scale = message([1, message([1, 'web'])], [2, message([1, 3])]);
  assert.deepEqual(decodeProtobuf(envelope('autoscaling/v1', 'Scale', scale))?.['spec'], {
    replicas: 3,
  });
  const options = message([1, 0], [4, 'Foreground']);
  assert.deepEqual(decodeProtobuf(envelope('policy/v1', 'DeleteOptions', options)), {
    apiVersion: 'policy/v1',
    kind: 'DeleteOptions',
    gracePeriodSeconds: 0,
    propagationPolicy: 'Foreground',
  });
});

test('what is no envelope, or of an unknown kind, is left alone', () => {
  assert.equal(decodeProtobuf(Buffer.from('{}')), undefined);
  assert.equal(decodeProtobuf(envelope('example.com/v1', 'Thing', Buffer.alloc(0))), undefined);
});

test('no bytes make it fail or run for ever', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      decodeProtobuf(envelope('v1', 'Pod', Buffer.from(bytes)));
      decodeProtobuf(Buffer.concat([Buffer.from('k8s\0'), bytes]));
    }),
  );
});
