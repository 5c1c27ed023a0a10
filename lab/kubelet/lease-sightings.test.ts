import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeaseSightings } from './lease-sightings.ts';

const lease = (name: string, renewTime: string) => {
  return { metadata: { name }, spec: { renewTime, leaseDurationSeconds: 4 } };
};

test('a Lease has expired when no change of it was seen for its duration', () => {
  const sightings = new LeaseSightings();
  const look = (now: number, first: string, second: string) => {
    return [...sightings.silentForMs([lease('node1', first), lease('node2', second)], now)];
  };
  assert.deepEqual(look(0, 'a', 'a'), []);
  assert.deepEqual(look(4000, 'a', 'b'), []);
  assert.deepEqual(look(4500, 'a', 'b'), [['node1', 500]]);
  assert.deepEqual(look(5000, 'b', 'b'), []);
});

test('when all have expired at once nobody is judged, and all get their time again', () => {
  const sightings = new LeaseSightings();
  const look = (now: number, ...times: readonly string[]) => [
    ...sightings.silentForMs(
      times.map((time, index) => lease(`node${index}`, time)),
      now,
    ),
  ];
  look(0, 'a', 'a');
  assert.deepEqual(look(10_000, 'a', 'a'), []);
  assert.deepEqual(look(10_100, 'b', 'a'), []);
  assert.deepEqual(look(14_100, 'c', 'a'), [['node1', 100]]);
});
