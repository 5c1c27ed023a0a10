import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { testAddressSource } from '../../src/ipam/address-source.contract.ts';
import { ExternalSource } from '../../src/ipam/external-source.ts';
import { ipOf } from '../../src/model/ip.ts';
import { GrpcChannel } from '../../src/runtime/grpc-channel.ts';
import { SystemClock } from '../../src/runtime/system-clock.ts';
import { checkRule, rules } from './conformance.ts';
import { PoolBook } from './pool-book.ts';
import { startSidecar } from './start-sidecar.ts';

const folder = mkdtempSync(join(tmpdir(), 'purelb-sidecar-'));
after(() => rmSync(folder, { recursive: true }));
const clock = new SystemClock();
const ranges = { lb: ['203.0.113.1-203.0.113.4', '2001:db8::1-2001:db8::3'] };
const addresses = [
  ...[1, 2, 3, 4].map((host) => ipOf(`203.0.113.${host}`)),
  ...[1, 2, 3].map((host) => ipOf(`2001:db8::${host}`)),
];
let rooms = 0;

for (const way of ['a Unix socket', 'TCP'] as const) {
  testAddressSource(`the sidecar over ${way}`, async () => {
    rooms += 1;
    const book = new PoolBook({ ranges, stateFile: join(folder, `state-${rooms}`) });
    const listen = way === 'TCP' ? { port: 0 } : { socket: join(folder, `socket-${rooms}`) };
    const sidecar = await startSidecar({ book, listen });
    const { target: socket } = sidecar;
    const source = new ExternalSource({ socket, pool: 'lb', clock, observe: () => {} });
    const close = async () => {
      source.close();
      await sidecar.stop();
    };
    return { source, pool: 'lb', addresses, takesWishes: true, close };
  });
}

for (const [index, rule] of rules.entries()) {
  test(`conformance: ${rule.sentence}`, async () => {
    const book = new PoolBook({ ranges, stateFile: undefined });
    const sidecar = await startSidecar({ book, listen: { socket: join(folder, `rule-${index}`) } });
    const channel = new GrpcChannel({ target: `unix://${sidecar.target}`, clock });
    const given = { channel, pool: 'lb', hasIpv4: true, hasIpv6: true, run: String(index) };
    try {
      await checkRule(rule, given);
      assert.equal(book.count('lb', 'ipv4').inUse, 0, 'it gives everything back');
    } finally {
      channel.close();
      await sidecar.stop();
    }
  });
}

test('what was given out is known after a restart', () => {
  const stateFile = join(folder, 'kept');
  const claim = { service: 'a/1', sharingKey: '' };
  const ip = new PoolBook({ ranges, stateFile }).take('lb', claim, 'ipv4');
  const again = new PoolBook({ ranges, stateFile });
  assert.equal(again.take('lb', claim, 'ipv4'), ip);
  assert.notEqual(again.take('lb', { ...claim, service: 'a/2' }, 'ipv4'), ip);
});
