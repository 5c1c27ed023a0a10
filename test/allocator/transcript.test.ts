import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLook, maskTranscript, readTranscript } from './transcript.ts';

const page = `Text.

\`\`\`console
$ kubectl get nodes
NAME   AGE
a      3s
$ kubectl delete service web
\`\`\`

\`\`\`yaml
$ not: this
\`\`\`

\`\`\`console
$ kubectl apply -f - <<'EOF'
kind: Service
EOF
service/web created
\`\`\`
`;

test('commands and what they print are read from blocks of a console', () => {
  assert.deepEqual(readTranscript(page), [
    { command: 'kubectl get nodes', output: 'NAME   AGE\na      3s' },
    { command: 'kubectl delete service web', output: '' },
    {
      command: "kubectl apply -f - <<'EOF'\nkind: Service\nEOF",
      output: 'service/web created',
    },
  ]);
});

test('what is different each time is masked, and nothing else', () => {
  const masked = maskTranscript(
    'web  LoadBalancer   10.96.3.4     192.0.2.10   80:31234/TCP   1m20s\nIP: 192.0.2.10',
  );
  assert.equal(
    masked,
    'web LoadBalancer CLUSTER-IP 192.0.2.10 80:NODE-PORT/TCP AGE\nIP: 192.0.2.10',
  );
});

test('only looking is done twice', () => {
  const commands = ['kubectl get service', 'kubectl describe sg', 'kubectl delete service web'];
  assert.deepEqual(
    commands.map((command) => isLook({ command, output: '' })),
    [true, true, false],
  );
});

test('Events of the API server about its own repairs are left out', () => {
  const printed = [
    'LAST SEEN   TYPE      REASON                  OBJECT         MESSAGE',
    '5s          Warning   ClusterIPNotAllocated   Service/typo   Cluster IP is not allocated; repairing',
    '5s          Warning   AllocationFailed        Service/typo   unknown pool',
  ];
  const expected = printed.filter((line) => !line.includes('ClusterIPNotAllocated'));
  assert.equal(maskTranscript(printed.join('\n')), maskTranscript(expected.join('\n')));
});
