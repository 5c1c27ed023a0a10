import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HealthChecks, renderHealth } from './health.ts';

function create(): HealthChecks {
  const checks = new HealthChecks();
  checks.add('synced', () => 'the first list of Services is not read yet');
  checks.add('leader', () => undefined);
  checks.add('broken', () => {
    throw new Error('no such reconciler');
  });
  return checks;
}

test('without checks all is well', () => {
  assert.equal(renderHealth(new HealthChecks().report(), true), 'ok\n');
});

test('what fails is named with its reason, and a check that throws fails', () => {
  const failing = [
    'broken: the check itself failed: no such reconciler',
    'synced: the first list of Services is not read yet',
  ];
  const report = create().report();
  assert.equal(report.isOk, false);
  assert.equal(renderHealth(report, false), `failing\n${failing.join('\n')}\n`);
  assert.equal(renderHealth(report, true), `failing\n${failing[0]}\nleader: ok\n${failing[1]}\n`);
});

test('one check can be asked alone', () => {
  const checks = create();
  assert.deepEqual(checks.reportOne('leader'), {
    isOk: true,
    checks: [{ name: 'leader', failure: undefined }],
  });
  assert.equal(checks.reportOne('synced')?.isOk, false);
  assert.equal(checks.reportOne('other'), undefined);
});

test('a check is added once, and can be removed', () => {
  const checks = create();
  assert.throws(() => checks.add('leader', () => undefined), /called leader already/);
  checks.remove('synced');
  checks.remove('broken');
  assert.equal(checks.report().isOk, true);
});

test('a note is shown to those who ask for more, and fails nothing', () => {
  const checks = new HealthChecks().add('configured', () => ({ note: 'but nobody did' }));
  assert.equal(checks.report().isOk, true);
  assert.equal(renderHealth(checks.report(), false), 'ok\n');
  assert.equal(renderHealth(checks.report(), true), 'ok\nconfigured: ok, but nobody did\n');
});
