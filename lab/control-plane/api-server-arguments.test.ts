import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiServerSettings, apiServerArguments } from './api-server-arguments.ts';
import { filesIn } from './control-plane-files.ts';

const settings: ApiServerSettings = {
  host: '192.0.2.1',
  port: 6443,
  etcdPort: 2379,
  authorization: 'rbac',
  auditLog: false,
  runtimeConfig: [],
  serviceCidrs: ['198.51.100.0/24', '2001:db8:96::/108'],
  reachedByKubeletsAt: undefined,
};

/** The arguments that differ from those of the settings above. */
function difference(change: Partial<ApiServerSettings>): readonly string[] {
  const usual = new Set(apiServerArguments(settings, filesIn('/run/x')));
  const changed = apiServerArguments({ ...settings, ...change }, filesIn('/run/x'));
  return changed.filter((argument) => !usual.has(argument));
}

test('each setting becomes its flags', () => {
  assert.deepEqual(
    [
      difference({ authorization: 'always-allow' }),
      difference({ auditLog: true }),
      difference({ runtimeConfig: ['api/beta=true', 'x/v1=true'] }),
      difference({ host: '2001:db8::5' }),
      difference({ host: '127.0.0.1' }),
      difference({ host: '127.0.0.1', reachedByKubeletsAt: '203.0.113.2' }),
    ],
    [
      ['--authorization-mode=AlwaysAllow'],
      ['--audit-policy-file=/run/x/audit-policy.json', '--audit-log-path=/run/x/audit.jsonl'],
      ['--runtime-config=api/beta=true,x/v1=true'],
      ['--bind-address=::', '--advertise-address=2001:db8::5'],
      ['--bind-address=127.0.0.1', '--endpoint-reconciler-type=none'],
      [
        '--bind-address=127.0.0.1',
        '--advertise-address=203.0.113.2',
        '--endpoint-reconciler-type=lease',
        '--authorization-mode=Node,RBAC',
        '--disable-admission-plugins=',
        '--enable-admission-plugins=NodeRestriction',
        '--kubelet-preferred-address-types=InternalIP',
        '--kubelet-client-certificate=/run/x/kubelet-client.crt',
        '--kubelet-client-key=/run/x/kubelet-client.key',
      ],
    ],
  );
});
