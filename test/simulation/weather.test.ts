/** What the simulated network does to frames, where it could do more than it says. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type FakePort, FakeSegment } from '../../src/linux/fake-segment.ts';
import { ipOf } from '../../src/model/ip.ts';
import { macOf } from '../../src/model/mac.ts';
import { ManualClock } from '../../src/runtime/manual-clock.ts';
import { probeFrame } from '../../src/wire/probe.ts';
import { Chance } from './chance.ts';
import { Weather } from './weather.ts';

function portOf(number: number): FakePort & { heard: number } {
  const mac = macOf(`02:00:00:01:00:${10 + number}`);
  const port = {
    mac,
    heard: 0,
    receive: () => {
      port.heard += 1;
    },
  };
  return port;
}

test('a switch that takes 20 ARP frames a second takes 20 broadcasts, however many ports they go to', async () => {
  const clock = new ManualClock();
  const segment = new FakeSegment({ clock });
  const weather = new Weather(segment, { clock, chance: new Chance(1) });
  weather.arpPerSecond = 20;
  const ports = Array.from({ length: 13 }, (_, index) => portOf(index));
  for (const port of ports) segment.plug(port);
  const [sender = portOf(0), ...others] = ports;
  for (let count = 0; count < 30; count += 1) {
    segment.carry(probeFrame({ ip: ipOf('192.0.2.100'), mac: sender.mac }), sender);
  }
  await clock.advance(10);
  assert.deepEqual(
    others.map(({ heard }) => heard),
    others.map(() => 20),
  );
  await clock.advance(1_000);
  segment.carry(probeFrame({ ip: ipOf('192.0.2.100'), mac: sender.mac }), sender);
  await clock.advance(10);
  assert.ok(others.every(({ heard }) => heard === 21));
});
