import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ArpSettings } from '../linux/arp-settings.ts';
import { Log } from '../runtime/log.ts';
import { ArpSettingsLog } from './arp-settings-log.ts';

function start(settings: Readonly<Record<string, ArpSettings>>) {
  const lines: string[] = [];
  const sink = (line: string) => {
    const { level, link, advice } = JSON.parse(line);
    lines.push(`${level} ${link} ${/\/etc\/sysctl\.d/.test(advice)}`);
  };
  const log = Log.create({ level: 'info', sink });
  return { log: new ArpSettingsLog(log, (link) => settings[link]), lines };
}

test('settings that let a node answer for its other links are told once, with what to do', () => {
  const { log, lines } = start({
    eth0: { ignore: 0, announce: 0 },
    eth1: { ignore: 1, announce: 2 },
    eth2: { ignore: 1, announce: 0 },
  });
  log.note(['eth0', 'eth1']);
  log.note(['eth0', 'eth1', 'eth2', 'unread']);
  assert.deepEqual(lines, ['warn eth0 true', 'warn eth2 true']);
  log.note(['eth1']);
  log.note(['eth0', 'eth1']);
  assert.equal(lines.length, 3);
});
