import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Span, spanOf } from './stalls.ts';
import { reportOn, type UdpRecords } from './udp-report.ts';

interface Packet {
  readonly sentAt: number;
  /** Milliseconds until the answer; absent for none. */
  readonly after?: number;
  readonly by?: string;
}

function report(packets: readonly Packet[], more: Partial<UdpRecords> = {}) {
  const responders = [...new Set(packets.map(({ by = 'node1' }) => by))];
  return reportOn({
    sentAt: packets.map(({ sentAt }) => sentAt),
    answeredAt: packets.map(({ sentAt, after = Number.NaN }) => sentAt + after),
    answeredBy: packets.map(({ by = 'node1' }) => responders.indexOf(by)),
    responders,
    duplicates: 0,
    stalls: [],
    endedAt: (packets.at(-1)?.sentAt ?? 0) + 1,
    lateAfterMs: 100,
    ...more,
  });
}

/** One letter for each packet, a millisecond apart: `.` answered, `x` lost, `~` late, `A`…`Z` answered by that one. */
function packetsOf(text: string): readonly Packet[] {
  return [...text].map((letter, sentAt) => {
    if (letter === 'x') return { sentAt };
    if (letter === '~') return { sentAt, after: 150 };
    return letter === '.' ? { sentAt, after: 0.5 } : { sentAt, after: 0.5, by: letter };
  });
}

/** Outages as `from-to lost/late`, with `+` where not over and `(n)` for own stalls. */
function outages(text: string, more: Partial<UdpRecords> = {}): readonly string[] {
  return report(packetsOf(text), more).outages.map(
    ({ from, to, lost, late, stalledMs, isOpen }) => {
      const stalled = stalledMs === 0 ? '' : ` (${stalledMs})`;
      return `${from}-${to}${isOpen ? '+' : ''} ${lost}/${late}${stalled}`;
    },
  );
}

test('an outage lasts from the first lost packet to the next answered one', () => {
  assert.deepEqual(outages('...xxxx...x..'), ['3-7 4/0', '10-11 1/0']);
});

test('an outage at the start counts, one at the end is not over', () => {
  assert.deepEqual(outages('xx..xx'), ['0-2 2/0', '4-6+ 2/0']);
  assert.deepEqual(outages('xxx'), ['0-3+ 3/0']);
});

test('late answers lengthen an outage and make none by themselves', () => {
  assert.deepEqual(outages('.~xx~.~~.'), ['1-5 2/2']);
});

test('an answer that waited for a stalled client is in time', () => {
  const stalls = [spanOf(1.2, 160)];
  const { late, outageCount, longestStallMs } = report(packetsOf('.~.'), { stalls });
  assert.deepEqual(
    { late, outageCount, longestStallMs },
    { late: 0, outageCount: 0, longestStallMs: 158.8 },
  );
});

test('an outage says how much of it the client slept through', () => {
  const packets = [{ sentAt: 0, after: 1 }, { sentAt: 10 }, { sentAt: 510, after: 1 }];
  const [outage] = report(packets, { stalls: [spanOf(10, 500)] }).outages;
  assert.deepEqual(outage, {
    from: 10,
    to: 510,
    ms: 500,
    lost: 1,
    late: 0,
    stalledMs: 490,
    isOpen: false,
  });
});

test('packets that a stalled client did not send are no outage', () => {
  const packets = [0, 1, 2, 802, 803].map((sentAt) => ({ sentAt, after: 0.5 }));
  const { lost, outages: found, longestStallMs } = report(packets, { stalls: [spanOf(2, 802)] });
  assert.deepEqual({ lost, found, longestStallMs }, { lost: 0, found: [], longestStallMs: 800 });
});

test('responders are listed with their spans, and every change between them counts', () => {
  const { responders, responderChanges } = report(packetsOf('AAxBBAB'));
  assert.deepEqual(responders, [
    { id: 'A', answers: 3, from: 0, to: 5 },
    { id: 'B', answers: 3, from: 3, to: 6 },
  ]);
  assert.equal(responderChanges, 3);
});

test('round trips are given as median, 99th percentile and worst', () => {
  const packets = Array.from({ length: 100 }, (_, sentAt) => ({ sentAt, after: sentAt + 1 }));
  assert.deepEqual(report(packets).roundTripMs, { p50: 50, p99: 99, max: 100 });
});

test('of thousands of outages the longest are listed and all are counted', () => {
  const {
    outages: listed,
    outageCount,
    longestOutageMs,
  } = report(packetsOf(`${'x.'.repeat(3000)}xxx.`));
  assert.deepEqual([listed.length, outageCount, longestOutageMs], [1000, 3001, 3]);
  assert.deepEqual(listed.at(-1)?.lost, 3);
});

test('a run without packets is an empty report', () => {
  assert.deepEqual(report([], { endedAt: 7 }), {
    sent: 0,
    received: 0,
    lost: 0,
    late: 0,
    duplicates: 0,
    outages: [],
    outageCount: 0,
    longestOutageMs: 0,
    responders: [],
    responderChanges: 0,
    roundTripMs: { p50: 0, p99: 0, max: 0 },
    startedAt: 7,
    endedAt: 7,
    stalls: [],
    longestStallMs: 0,
  });
});

const traffic = fc
  .array(
    fc.record({ gap: fc.integer({ min: 1, max: 40 }), letter: fc.constantFrom('.', 'x', '~') }),
    {
      maxLength: 200,
    },
  )
  .map((steps) => {
    let now = 0;
    return steps.map(({ gap, letter }): Packet => {
      now += gap;
      if (letter === 'x') return { sentAt: now };
      return { sentAt: now, after: letter === '~' ? 150 : 1 };
    });
  });

test('every packet is received or lost, and every lost one is in exactly one outage', () => {
  fc.assert(
    fc.property(traffic, (packets) => {
      const { sent, received, lost, outages: found } = report(packets);
      assert.equal(sent, packets.length);
      assert.equal(received + lost, sent);
      const missing = packets.filter(({ after }) => after === undefined);
      assert.equal(lost, missing.length);
      for (const { sentAt } of missing) {
        const around = found.filter(({ from, to }) => from <= sentAt && sentAt < to);
        assert.equal(around.length, 1);
      }
    }),
  );
});

test('outages come in order, do not touch, and hold nothing that was answered in time', () => {
  fc.assert(
    fc.property(traffic, (packets) => {
      const { outages: found } = report(packets);
      for (const [index, { from, to }] of found.entries()) {
        const next = found[index + 1];
        assert.ok(next === undefined || to < next.from);
        const within = packets.filter(({ sentAt }) => from <= sentAt && sentAt < to);
        assert.ok(within.every(({ after }) => after !== 1));
      }
    }),
  );
});

test('a network that loses nothing has no outage, whatever the client sleeps through', () => {
  const stalls = fc.array(fc.tuple(fc.nat(5000), fc.nat(3000)), { maxLength: 5 }).map((pairs) => {
    let now = 0;
    return pairs.map(([awake, asleep]): Span => {
      const from = now + awake + 1;
      now = from + asleep;
      return spanOf(from, now);
    });
  });
  fc.assert(
    fc.property(stalls, (all) => {
      const wakesAt = (time: number) =>
        all.find(({ from, to }) => from < time && time < to)?.to ?? time;
      const packets = Array.from({ length: 3000 }, (_, index) => index * 10)
        .filter((sentAt) => wakesAt(sentAt) === sentAt)
        .map((sentAt) => ({ sentAt, after: wakesAt(sentAt + 1) - sentAt }));
      const { outageCount, late, lost } = report(packets, { stalls: all });
      assert.deepEqual({ outageCount, late, lost }, { outageCount: 0, late: 0, lost: 0 });
    }),
    { numRuns: 50 },
  );
});
