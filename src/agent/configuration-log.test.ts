import assert from 'node:assert/strict';
import { test } from 'node:test';
import { must } from '../model/parsed.ts';
import { parsePrefix } from '../model/prefix.ts';
import { readNodeAgent } from '../model/read-node-agent.ts';
import { Log } from '../runtime/log.ts';
import { ConfigurationLog } from './configuration-log.ts';

const source = 'purelb-system/default';
const metadata = { namespace: 'purelb-system', name: 'default' };
const configured = (local: object) => ({
  state: 'configured' as const,
  source,
  config: must(readNodeAgent({ metadata, spec: { local } })).local,
});
const silent = { state: 'unconfigured', source: undefined, config: undefined } as const;
const prefixes = (...texts: readonly string[]) => texts.map((text) => must(parsePrefix(text)));

function start() {
  const lines: string[] = [];
  const log = new ConfigurationLog(Log.create({ level: 'info', sink: (line) => lines.push(line) }));
  const take = () =>
    lines.splice(0).map((line) => {
      const { ts: _ts, time: _time, ...rest } = JSON.parse(line);
      return rest;
    });
  return { log, take };
}

test('the first configuration is told, the same again is not', () => {
  const { log, take } = start();
  log.note(configured({}), undefined);
  log.note(configured({}), undefined);
  assert.deepEqual(
    take().map(({ msg, state }) => [msg, state]),
    [['Configuration in force', 'configured']],
  );
});

test('a change is told with what was and what is', () => {
  const { log, take } = start();
  log.note(configured({}), undefined);
  take();
  log.note(configured({ localInterface: 'eth1' }), undefined);
  const [{ level, msg, op, changes }] = take();
  assert.deepEqual([level, msg, op], ['info', 'Configuration changed', 'configChanged']);
  assert.deepEqual(changes, ['links.pattern: unset → eth1']);
});

test('a node that announces nothing from now on warns', () => {
  const { log, take } = start();
  log.note(configured({}), undefined);
  take();
  log.note(silent, undefined);
  const [{ level, msg, before, after, changes }] = take();
  assert.deepEqual([level, msg], ['warn', 'Configuration changed: this node announces nothing']);
  assert.deepEqual(
    [before, after, changes],
    [{ state: 'configured', source }, { state: 'unconfigured' }, undefined],
  );
});

test('subnets are told when they change, and not while they are unknown', () => {
  const { log, take } = start();
  const choice = configured({});
  log.note(choice, prefixes('192.0.2.0/24'));
  take();
  log.note(choice, undefined);
  log.note(choice, prefixes('192.0.2.0/24'));
  assert.deepEqual(take(), []);
  log.note(choice, prefixes('2001:db8::/64', '192.0.2.0/24'));
  const [{ msg, op, before, after }] = take();
  assert.deepEqual([msg, op], ['Subnets changed', 'subnetsChanged']);
  assert.deepEqual([before, after], [['192.0.2.0/24'], ['192.0.2.0/24', '2001:db8::/64']]);
});
