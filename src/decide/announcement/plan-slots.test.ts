import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressKey, type WantedAddress } from '../../model/address.ts';
import { familyOf, type Ip, ipOf } from '../../model/ip.ts';
import type { LoadBalancer } from '../../model/load-balancer.ts';
import type { PlacementReason } from '../../model/placement-reasons.ts';
import type { AnnounceMode } from '../../model/pool.ts';
import type { AddressDecision, AddressOutcome } from './address-decision.ts';
import { familySamples } from './cluster.fixture.ts';
import { planSlots, type SlotFacts } from './plan-slots.ts';
import { type ServiceSpec, service } from './pool.fixture.ts';

const wanted = (ip: Ip, link: string): WantedAddress => ({
  link,
  ip,
  prefixLength: 24,
  validSeconds: 300,
  preferredSeconds: 300,
  noPrefixRoute: true,
  noDad: true,
});

interface DecisionSpec {
  readonly services?: readonly string[];
  readonly mode?: AnnounceMode;
  readonly kind?: 'local' | 'remote';
  readonly link?: string;
}

const here = (ip: Ip, spec: DecisionSpec = {}): AddressDecision => {
  const { services = ['shop/web'], mode = 'local', kind = 'local', link = 'eth0' } = spec;
  const outcome: AddressOutcome = { kind, wanted: wanted(ip, link) };
  return { ip, services, mode, outcome, reason: 'electionWon' };
};

const notHere = (ip: Ip, reason: PlacementReason, kind: 'absent' | 'leave' = 'absent') => ({
  ip,
  services: ['shop/web'],
  mode: 'local' as const,
  outcome: { kind },
  reason,
});

/** The node is `a`, and what it wants is in its kernel, unless `facts` says otherwise. */
function plan(
  loadBalancers: readonly LoadBalancer[],
  decisions: readonly AddressDecision[],
  facts: Partial<SlotFacts> = {},
) {
  const inKernel = decisions.flatMap(({ outcome }) =>
    'wanted' in outcome ? [addressKey(outcome.wanted)] : [],
  );
  const { patches } = planSlots({
    node: 'a',
    loadBalancers,
    decisions,
    held: new Set(inKernel),
    littered: new Set(loadBalancers.map(({ key }) => key)),
    swept: new Set(),
    overruled: new Set(),
    ...facts,
  });
  return patches;
}

function annotationsOf(...args: Parameters<typeof plan>) {
  return plan(...args).map(({ body }) => body.metadata.annotations);
}

for (const { family, vip, vip2, farIp } of familySamples) {
  const key = family === 'ipv4' ? 'purelb.io/announcing-IPv4' : 'purelb.io/announcing-IPv6';
  const web = (written = '', more: ServiceSpec = {}, ips: readonly Ip[] = [vip]) => {
    const annotations = { ...(written !== '' && { [key]: written }), ...more.annotations };
    return service('web', ips, { ...more, annotations });
  };

  test(`${family}: spec 11: who holds an address writes its slot`, () => {
    assert.deepEqual(plan([web()], [here(vip)]), [
      {
        namespace: 'shop',
        name: 'web',
        body: { metadata: { uid: 'uid-web', annotations: { [key]: `a,eth0,${vip}` } } },
      },
    ]);
  });

  test(`${family}: spec 11: what is written is not written again`, () => {
    assert.deepEqual(plan([web(`a,eth0,${vip}`)], [here(vip)]), []);
  });

  test(`${family}: spec 11: another node's slot, or another link's, is replaced`, () => {
    for (const written of [`b,eth0,${vip}`, `a,eth1,${vip}`]) {
      assert.deepEqual(annotationsOf([web(written)], [here(vip)]), [{ [key]: `a,eth0,${vip}` }]);
    }
  });

  test(`${family}: who hands an address over leaves its slot alone, whoever it names`, () => {
    const handing = { ...here(vip), reason: 'handingOver' } as const;
    for (const written of [`a,eth0,${vip}`, `b,eth0,${vip}`]) {
      assert.deepEqual(plan([web(written)], [handing]), []);
      assert.deepEqual(plan([web(written)], [notHere(vip, 'handedOver')]), []);
    }
  });

  test(`${family}: who was asked for takes the wish off with its slot, and others' wishes stay`, () => {
    const move = `${vip}=a,${vip2}=a`;
    const asked = web(`b,eth0,${vip}`, { annotations: { 'purelb.io/move': move } }, [vip, vip2]);
    const [patch, ...others] = plan([asked], [here(vip), notHere(vip2, 'lostElection')]);
    assert.deepEqual(others, []);
    assert.deepEqual(patch?.body.metadata.annotations, {
      [key]: `a,eth0,${vip}`,
      'purelb.io/move': `${vip2}=a`,
    });
    assert.notEqual(patch?.body.metadata.resourceVersion, undefined);
  });

  test(`${family}: a wish is taken off only by the node it asks for`, () => {
    const annotations = { 'purelb.io/move': `${vip}=b` };
    assert.deepEqual(plan([web(`a,eth0,${vip}`, { annotations })], [here(vip)]), []);
    const done = { 'purelb.io/move': `${vip}=a` };
    assert.deepEqual(annotationsOf([web(`a,eth0,${vip}`, { annotations: done })], [here(vip)]), [
      { 'purelb.io/move': null },
    ]);
  });

  test(`${family}: where it was overruled, the slot stays the other's`, () => {
    assert.deepEqual(plan([web(`b,eth0,${vip}`)], [here(vip)], { overruled: new Set([vip]) }), []);
  });

  test(`${family}: spec 11: slots of other addresses stay, those of departed ones go`, () => {
    const two = web(`b,eth0,${vip2} c,eth0,${farIp}`, {}, [vip, vip2]);
    assert.deepEqual(annotationsOf([two], [here(vip), notHere(vip2, 'lostElection')]), [
      { [key]: `a,eth0,${vip} b,eth0,${vip2}` },
    ]);
  });

  test(`${family}: success is told only when the kernel has it`, () => {
    assert.deepEqual(plan([web()], [here(vip)], { held: new Set() }), []);
    assert.deepEqual(annotationsOf([web(`a,eth0,${vip}`)], [here(vip)], { held: new Set() }), [
      { [key]: null },
    ]);
  });

  test(`${family}: remote addresses have no slot`, () => {
    const remote = here(vip, { kind: 'remote', link: 'kube-lb0', mode: 'auto' });
    assert.deepEqual(plan([web()], [remote]), []);
    assert.deepEqual(annotationsOf([web(`a,eth0,${vip}`)], [remote]), [{ [key]: null }]);
  });

  test(`${family}: spec 11: the loser leaves its slot for the winner to overwrite`, () => {
    for (const reason of ['lostElection', 'heldByMember', 'askingTheWire'] as const) {
      assert.deepEqual(plan([web(`a,eth0,${vip}`)], [notHere(vip, reason)]), [], reason);
    }
  });

  test(`${family}: spec 11: it takes its own slot out where nobody else will, and no other's`, () => {
    const reasons = ['noConfig', 'noLocalInterface', 'noEligibleNodes', 'noEndpoints'] as const;
    for (const reason of reasons) {
      assert.deepEqual(
        annotationsOf([web(`a,eth0,${vip}`)], [notHere(vip, reason)]),
        [{ [key]: null }],
        reason,
      );
      assert.deepEqual(plan([web(`b,eth0,${vip}`)], [notHere(vip, reason)]), [], reason);
    }
  });

  test(`${family}: invariant 6: what is not known stays written`, () => {
    const unknown = notHere(vip, 'resolutionIndeterminate', 'leave');
    assert.deepEqual(plan([web(`a,eth0,${vip}`)], [unknown]), []);
  });

  test(`${family}: spec 19 #20: the slot of an address that left the Service is taken out`, () => {
    const left = web(`a,eth0,${vip}`, {}, []);
    assert.deepEqual(annotationsOf([left], []), [{ [key]: null }]);
    const plain = web(`a,eth0,${vip}`, { spec: { type: 'ClusterIP' } });
    assert.deepEqual(annotationsOf([plain], []), [{ [key]: null }]);
  });

  test(`${family}: also if another Service has the address now`, () => {
    const left = web(`a,eth0,${vip}`, {}, []);
    const theirs = { ...notHere(vip, 'lostElection'), services: ['shop/api'] };
    assert.deepEqual(annotationsOf([left], [theirs]), [{ [key]: null }]);
  });

  test(`${family}: a Service that is being deleted is left alone`, () => {
    const going = web(`a,eth0,${vip}`, { deletionTimestamp: '2026-06-01T00:00:00Z' });
    assert.deepEqual(plan([going], []), []);
  });

  test(`${family}: a write that could lose another node's is bound to what was read`, () => {
    const versions = (...args: Parameters<typeof plan>) =>
      plan(...args).map(({ body }) => body.metadata.resourceVersion);
    assert.deepEqual(versions([web()], [here(vip)]), [undefined]);
    assert.deepEqual(versions([web('', {}, [vip, vip2])], [here(vip)]), ['7']);
    assert.deepEqual(versions([web(`a,eth0,${vip}`)], [notHere(vip, 'noConfig')]), ['7']);
  });

  test(`${family}: Services that share an address each have its slot`, () => {
    const api = service('api', [vip]);
    const shared = here(vip, { services: ['shop/api', 'shop/web'] });
    assert.deepEqual(annotationsOf([web(), api], [shared]), [
      { [key]: `a,eth0,${vip}` },
      { [key]: `a,eth0,${vip}` },
    ]);
    assert.equal(annotationsOf([web(), api], [here(vip)]).length, 1);
  });

  test(`${family}: decision 3: the winner writes added-to for v1 and auto groups`, () => {
    const auto = here(vip, { mode: 'auto' });
    assert.deepEqual(annotationsOf([web()], [auto]), [
      { [key]: `a,eth0,${vip}`, 'purelb.io/added-to': 'a/eth0' },
    ]);
    const written = web(`a,eth0,${vip}`, { annotations: { 'purelb.io/added-to': 'a/eth0' } });
    assert.deepEqual(plan([written], [auto]), []);
    assert.deepEqual(annotationsOf([written], [notHere(vip, 'noConfig')]), [
      { [key]: null, 'purelb.io/added-to': null },
    ]);
    assert.deepEqual(plan([written], [notHere(vip, 'lostElection')]), []);
    const lost = { ...notHere(vip, 'lostElection'), mode: 'auto' as const };
    assert.deepEqual(plan([web(`a,eth0,${vip}`)], [lost]), []);
  });

  test(`${family}: decision 3: another node's added-to is overwritten by the winner only`, () => {
    const theirs = web(`b,eth0,${vip}`, { annotations: { 'purelb.io/added-to': 'b/eth0' } });
    assert.deepEqual(annotationsOf([theirs], [here(vip, { mode: 'auto' })]), [
      { [key]: `a,eth0,${vip}`, 'purelb.io/added-to': 'a/eth0' },
    ]);
    assert.deepEqual(plan([theirs], [notHere(vip, 'noConfig')]), []);
  });
}

test('the families of one Service are written apart, and added-to is of the first address', () => {
  const [v4, v6] = familySamples.map(({ vip }) => vip);
  assert.ok(v4 !== undefined && v6 !== undefined);
  const dual = service('web', [v6, v4]);
  const decisions = [
    here(v4, { mode: 'auto' }),
    { ...notHere(v6, 'lostElection'), mode: 'auto' as const },
  ];
  assert.deepEqual(annotationsOf([dual], decisions), [
    { 'purelb.io/announcing-IPv4': `a,eth0,${v4}` },
  ]);
  const swapped = [notHere(v4, 'lostElection'), here(v6, { mode: 'auto' })];
  assert.deepEqual(annotationsOf([dual], swapped), [
    { 'purelb.io/announcing-IPv6': `a,eth0,${v6}`, 'purelb.io/added-to': 'a/eth0' },
  ]);
});

test('writing what is planned leaves nothing to write', () => {
  const ip = ipOf('192.0.2.100');
  const [patch] = plan([service('web', [ip])], [here(ip, { mode: 'auto' })]);
  const annotations = patch?.body.metadata.annotations ?? {};
  const written = Object.entries(annotations).flatMap(([name, value]) =>
    value === null ? [] : [[name, value]],
  );
  const after = service('web', [ip], { annotations: Object.fromEntries(written) });
  assert.equal(familyOf(ip), 'ipv4');
  assert.deepEqual(plan([after], [here(ip, { mode: 'auto' })]), []);
});
