import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mask, parseTranscript, renderTranscript } from './run-transcript.ts';

const text = `# Why.
$ kubectl get a
NAME   AGE
$ kubectl delete a

# Then.
$ kubectl get b
`;

test('a transcript is read and written as it is', () => {
  const steps = parseTranscript(text);
  assert.deepEqual(
    steps.map(({ command, output }) => [command, output]),
    [
      ['kubectl get a', ['NAME   AGE']],
      ['kubectl delete a', []],
      ['kubectl get b', []],
    ],
  );
  assert.equal(renderTranscript(steps), text);
});

test('what differs by nature is masked, and nothing else', () => {
  const lines: readonly (readonly [string, string])[] = [
    ['web    2/2     12s   10.96.3.4', 'web   2/2   AGE   CLUSTER-IP'],
    ['port 80:31234/TCP', 'port 80:NODEPORT/TCP'],
    ['created 2026-01-02T03:04:05Z', 'created TIME'],
    ['pod/web-8h4kqxw2dz-bcdfg', 'pod/web-HASH-POD'],
    ['resourceVersion: "123"', 'resourceVersion: "VERSION"'],
    ['192.0.2.1 80 v1.36.3', '192.0.2.1 80 v1.36.3'],
    ['I1115 13:49:31.849191   429 reflector.go:664] noise', ''],
  ];
  assert.deepEqual(
    lines.map(([line]) => mask(line).join()),
    lines.map(([, masked]) => masked),
  );
});
