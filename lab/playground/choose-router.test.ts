import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseRouter, type RouterWish } from './choose-router.ts';

interface Machine {
  readonly frr?: string;
  readonly bird?: string;
  readonly nodes?: string;
}

function choose(wish: RouterWish | undefined, machine: Machine = {}) {
  const { router, says } = chooseRouter(wish, {
    of: (kind) => machine[kind] ?? false,
    ofNodes: () => machine.nodes ?? false,
  });
  return [router, ...says.map((line) => line.trim())];
}

const goesOn = 'Remote addresses work all the same: the lab tells the router its routes.';

test('FRR is the usual router, and BIRD where that is missing', () => {
  assert.deepEqual(choose(undefined), ['frr']);
  assert.deepEqual(choose(undefined, { frr: 'missing vtysh' }), ['bird']);
});

test('a wish is fulfilled, or it is told why not', () => {
  assert.deepEqual(choose('bird'), ['bird']);
  assert.deepEqual(choose('none'), [undefined]);
  assert.deepEqual(choose('frr', { frr: 'missing vtysh' }), [
    undefined,
    'Nodes speak no BGP here:',
    'FRR: missing vtysh',
    goesOn,
  ]);
});

test('without either router, or without gobgpd, it says what is missing', () => {
  assert.deepEqual(choose(undefined, { frr: 'missing vtysh', bird: 'missing bird' }), [
    undefined,
    'Nodes speak no BGP here:',
    'FRR: missing vtysh',
    'BIRD: missing bird',
    goesOn,
  ]);
  assert.deepEqual(choose('bird', { nodes: 'missing gobgpd' }), [
    undefined,
    'Nodes speak no BGP here:',
    'missing gobgpd',
    goesOn,
  ]);
});
