import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Environment, UsageError } from '../program/command-line.ts';
import { type AllocatorOptions, readOptions, usage } from './allocator-options.ts';

const usual: AllocatorOptions = {
  host: '',
  port: 7472,
  stateSocket: '/run/purelb/allocator.sock',
  kubeconfig: undefined,
  namespace: '',
  logLevel: 'info',
  isDefaultAnnouncer: false,
  isElecting: true,
  leaseName: 'purelb-allocator',
  leaseDurationMs: 2_000,
  netboxToken: '',
};

function check(args: string, env: Environment, expected: Partial<AllocatorOptions>): void {
  const words = args === '' ? [] : args.split(' ');
  assert.deepEqual(readOptions(words, env), { ...usual, ...expected });
}

test('without flags and environment the usual values hold', () => {
  check('', {}, {});
});

test('flags say everything, with one dash or two, with = or without', () => {
  check(
    '-port=17472 --host ::1 -kubeconfig /tmp/config --namespace lb -log-level DEBUG --state-socket /a',
    { PURELB_STATE_SOCKET: '/b' },
    {
      port: 17472,
      host: '::1',
      kubeconfig: '/tmp/config',
      namespace: 'lb',
      logLevel: 'debug',
      stateSocket: '/a',
    },
  );
  check(
    '--no-leader-elect --lease-name other --lease-duration 1m',
    {},
    { isElecting: false, leaseName: 'other', leaseDurationMs: 60_000 },
  );
});

test('the environment counts where no flag is given', () => {
  const env = {
    PURELB_NAMESPACE: ' purelb-system\n',
    PURELB_LOG_LEVEL: 'Debug',
    DEFAULT_ANNOUNCER: 'PureLB',
  };
  const told = { logLevel: 'debug', isDefaultAnnouncer: true } as const;
  check('', env, { ...told, namespace: 'purelb-system' });
  check('--namespace lb', env, { ...told, namespace: 'lb' });
});

test('only the exact word makes it the default announcer, and an unknown level is info', () => {
  check('', { DEFAULT_ANNOUNCER: 'purelb', PURELB_LOG_LEVEL: 'loud' }, {});
});

for (const [args, message] of [
  ['--kubconfig x', 'unknown flag --kubconfig: did you mean --kubeconfig?'],
  ['--colour', 'unknown flag --colour'],
  ['--port', "Option '--port <value>' argument missing"],
  ['--port http', '--port http: write a number from 0 to 65535'],
  ['--port 65536', '--port 65536: write a number from 0 to 65535'],
  ['--log-level loud', '--log-level loud: write one of debug, info, warn, error'],
  ['--lease-name Big', '--lease-name Big: write a name such as purelb-allocator'],
  ['--lease-duration 15', '--lease-duration: "15" is not a duration: write its unit, such as 15s'],
  ['--lease-duration 1s', '--lease-duration: 1s is out of bounds: write 2s to 10m'],
  ['start', "Unexpected argument 'start'"],
] as const) {
  test(`"${args}" is refused with a word of advice`, () => {
    assert.throws(
      () => readOptions(args.split(' '), {}),
      (error) => {
        assert.ok(error instanceof UsageError);
        assert.equal(error.message.slice(0, message.length), message);
        return true;
      },
    );
  });
}

test('help is asked for in two ways, and names every flag', () => {
  assert.equal(readOptions(['--help'], {}), 'help');
  assert.equal(readOptions(['-h', '--port', 'x'], {}), 'help');
  for (const flag of ['port', 'host', 'kubeconfig', 'namespace', 'log-level', 'lease-duration']) {
    assert.match(usage, new RegExp(`--${flag} `));
  }
});
