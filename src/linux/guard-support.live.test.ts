import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { enterFreshNamespace } from '../../lab/fresh-namespace.ts';
import { missing } from '../../lab/missing.ts';
import { noGuard } from '../model/guard.ts';
import { ipOf } from '../model/ip.ts';
import { NftablesGuard } from './nftables-guard.ts';

/** Why this kernel cannot guard; undefined: it can. */
async function findObstacle(): Promise<string | undefined> {
  enterFreshNamespace();
  const guard = new NftablesGuard();
  const outcome = await guard.apply({ addresses: [ipOf('192.0.2.100')], openings: [] });
  const removal = await guard.apply(noGuard);
  guard.close();
  if (outcome.kind !== 'failed') return undefined;
  assert.deepEqual([outcome.code, removal.kind], ['Unsupported', 'unchanged']);
  return outcome.words;
}

/** The kernel of `scripts/uml.ts` loads nothing by itself, and was built without tables for both families. */
const isUml = process.env['PURELB_UML'] === '1';

function insert(module: string): void {
  const release = execFileSync('uname', ['-r'], { encoding: 'utf8' }).trim();
  execFileSync('insmod', [`/usr/lib/uml/modules/${release}/kernel/net/netfilter/${module}.ko`]);
}

if (isUml) {
  test('a kernel without nf_tables, or with a part of it, says what it lacks', async () => {
    const none = 'this kernel has no nf_tables';
    assert.equal(await findObstacle(), `${none} (open a netlink socket: EPROTONOSUPPORT)`);
    insert('nfnetlink');
    assert.equal(await findObstacle(), `${none} (ask nf_tables: EINVAL)`);
    insert('nf_tables');
    const part = 'this kernel lacks a part of nf_tables (change the guard: EOPNOTSUPP)';
    assert.equal(await findObstacle(), part);
  });
} else {
  test('this kernel can guard', { skip: missing() }, async () => {
    assert.equal(await findObstacle(), undefined);
  });
}
