/**
 * `node lab/sidecar/conformance-main.ts --socket /run/ipam.sock --pool NAME [--no-ipv4] [--no-ipv6]`: whether a sidecar
 * does what PureLB relies on. `--socket` may be `host:port`. The pool needs three free addresses.
 */

import { parseArgs } from 'node:util';
import { GrpcChannel } from '../../src/runtime/grpc-channel.ts';
import { SystemClock } from '../../src/runtime/system-clock.ts';
import { checkRule, rules } from './conformance.ts';

const { values } = parseArgs({
  allowNegative: true,
  options: {
    socket: { type: 'string', default: '/var/run/purelb/ipam.sock' },
    pool: { type: 'string', default: 'default' },
    ipv4: { type: 'boolean', default: true },
    ipv6: { type: 'boolean', default: true },
  },
});

const { socket, pool, ipv4: hasIpv4, ipv6: hasIpv6 } = values;
const target = socket.startsWith('/') ? `unix://${socket}` : socket;
const channel = new GrpcChannel({ target, clock: new SystemClock() });
let failures = 0;
for (const [index, rule] of rules.entries()) {
  const run = `${process.pid}-${index}`;
  try {
    await checkRule(rule, { channel, pool, hasIpv4, hasIpv6, run });
    process.stdout.write(`ok      ${rule.sentence}\n`);
  } catch (error) {
    failures += 1;
    const why = error instanceof Error ? error.message : String(error);
    process.stdout.write(
      `not ok  ${rule.sentence}\n        ${why.replaceAll('\n', '\n        ')}\n`,
    );
  }
}
channel.close();
process.stdout.write(`${rules.length - failures} of ${rules.length} hold\n`);
process.exitCode = failures === 0 ? 0 : 1;
