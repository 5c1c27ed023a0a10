import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  answerWith,
  endWith,
  GrpcServerFixture,
  type ServedCall,
} from '../runtime/grpc-server.fixture.ts';
import { ManualClock } from '../runtime/manual-clock.ts';
import { SystemClock } from '../runtime/system-clock.ts';
import { allocateRequest, allocateResponse, statsResponse } from './external-messages.ts';
import { type ExternalCall, ExternalSource } from './external-source.ts';

const never = new AbortController().signal;
const order = {
  pool: 'ext',
  owner: 'uid-1',
  family: 'ipv4',
  service: 'a/1',
  sharingKey: undefined,
  wish: undefined,
} as const;

async function withSidecar(
  answer: (call: ServedCall) => void,
  run: (source: ExternalSource, calls: readonly ExternalCall[]) => Promise<void>,
): Promise<void> {
  const server = new GrpcServerFixture();
  await server.start(answer);
  const calls: ExternalCall[] = [];
  const socket = server.target.replace('unix://', '');
  const observe = (call: ExternalCall) => calls.push(call);
  const source = new ExternalSource({ socket, pool: 'ext', clock: new SystemClock(), observe });
  try {
    await run(source, calls);
  } finally {
    source.close();
    await server.remove();
  }
}

async function allocateWith(...ips: readonly string[]): Promise<string> {
  let said = '';
  const answer = (call: ServedCall) =>
    answerWith(call, allocateResponse.encode({ ips: ips.map((ip) => ({ ip })) }));
  await withSidecar(answer, async (source) => {
    const outcome = await source.allocate(order, never);
    said =
      outcome.kind === 'address'
        ? `${outcome.address.ip}/${outcome.address.length}`
        : `${outcome.reason}: ${outcome.message}`;
  });
  return said;
}

test('16.70: the request carries pool, Service and what is asked for', () =>
  withSidecar(
    (call) => {
      const request = allocateRequest.decode(call.messages[0] ?? new Uint8Array());
      assert.deepEqual(request, {
        pool: 'ext',
        service: 'a/1',
        sharingKey: '',
        explicit: undefined,
        families: { wantIpv4: true, wantIpv6: false },
      });
      answerWith(call, allocateResponse.encode({ ips: [{ ip: '203.0.113.7', prefixLength: 24 }] }));
    },
    async (source, calls) => {
      const address = { ip: '203.0.113.7', length: 24 };
      assert.deepEqual(await source.allocate(order, never), { kind: 'address', address });
      assert.deepEqual(
        calls.map(({ method, code }) => `${method} ${code}`),
        ['/purelb.ipam.v1.IPAM/Allocate OK'],
      );
    },
  ));

test('16.70, 17.27: of answers that make no sense none is believed', async () => {
  assert.equal(await allocateWith('203.0.113.7'), '203.0.113.7/32');
  assert.equal(await allocateWith(), 'invalid: returned no IPs and no error');
  assert.equal(
    await allocateWith(...Array<string>(17).fill('203.0.113.7')),
    'invalid: returned 17 IPs (max 16)',
  );
  assert.equal(await allocateWith('nonsense'), 'invalid: returned unparseable IP "nonsense"');
  assert.equal(
    await allocateWith('2001:db8::1'),
    'invalid: returned 2001:db8::1, and no IPv4 address',
  );
});

test('each status of gRPC has a meaning', async () => {
  const rows = [
    [8, 'exhausted: refuses: full'],
    [6, 'conflict: refuses: full'],
    [3, 'invalid: refuses: full'],
    [9, 'invalid: refuses: full'],
    [7, 'denied: refuses: full'],
    [16, 'denied: refuses: full'],
    [14, 'unavailable: does not answer: full'],
    [13, 'ambiguous: does not answer: full'],
  ] as const;
  for (const [status, wanted] of rows) {
    const trailers = { 'grpc-status': String(status), 'grpc-message': 'full' };
    await withSidecar(
      (call) => endWith(call, trailers),
      async (source) => {
        const outcome = await source.allocate(order, never);
        assert.ok(outcome.kind === 'failure');
        assert.equal(`${outcome.reason}: ${outcome.message}`, wanted);
      },
    );
  }
});

test('a sidecar that is not there is unavailable, and there again when it is', async () => {
  const clock = new ManualClock();
  const source = new ExternalSource({
    socket: '/nonexistent/ipam.sock',
    pool: 'ext',
    clock,
    observe: () => {},
  });
  const outcome = await source.check(never);
  assert.ok(
    outcome.kind === 'failure' && outcome.reason === 'unavailable',
    JSON.stringify(outcome),
  );
  source.close();
});

test('capacity counts only where the sidecar knows it', async () => {
  for (const hasKnownCapacity of [true, false]) {
    const body = { inUseV4: 2, sizeV4: 8, hasKnownCapacity, displayAddresses: ['203.0.113.0/29'] };
    await withSidecar(
      (call) => answerWith(call, statsResponse.encode(body)),
      async (source) => {
        const stats = await source.stats(never);
        assert.ok(stats.kind === 'stats');
        const capacity = hasKnownCapacity ? { ipv4: 8n, ipv6: 0n } : undefined;
        assert.deepEqual([stats.allocated, stats.capacity], [{ ipv4: 2n, ipv6: 0n }, capacity]);
      },
    );
  }
});
