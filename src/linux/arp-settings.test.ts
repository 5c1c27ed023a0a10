import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readArpSettings } from './arp-settings.ts';

test('the higher of the setting for all links and the link’s own counts', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'purelb-sysctl-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const set = (of: string, ignore: number, announce: number) => {
    mkdirSync(join(folder, of));
    writeFileSync(join(folder, of, 'arp_ignore'), `${ignore}\n`);
    writeFileSync(join(folder, of, 'arp_announce'), `${announce}\n`);
  };
  set('all', 0, 2);
  set('eth0', 1, 0);
  set('eth1', 0, 0);
  assert.deepEqual(readArpSettings('eth0', folder), { ignore: 1, announce: 2 });
  assert.deepEqual(readArpSettings('eth1', folder), { ignore: 0, announce: 2 });
  assert.equal(readArpSettings('eth2', folder), undefined);
});
