import assert from 'node:assert/strict';
import { test } from 'node:test';
import { must } from '../../model/parsed.ts';
import { readService } from '../../model/read-service.ts';
import { cleanupFinalizer, loadBalancerClasses } from '../../model/well-known-names.ts';
import { fateOf, ownsFinalizer } from './fate.ts';
import { rawService, type ServiceText } from './raw-objects.fixture.ts';

const settings = {
  classes: loadBalancerClasses,
  isDefaultAnnouncer: true,
  convergesUnasked: false,
};

function read(text: ServiceText, { isDeleting = false, key = 'a/1' } = {}) {
  const deletion = isDeleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {};
  return must(readService(rawService(key, text, deletion)));
}

/** Addresses of 192.0.2.0/24 are ours. */
function fate(
  text: ServiceText,
  options: Parameters<typeof read>[1] & { isDefault?: boolean } = {},
) {
  const isDefaultAnnouncer = options.isDefault ?? true;
  const found = fateOf(read(text, options), { ...settings, isDefaultAnnouncer }, (ip) =>
    ip.startsWith('192.0.2.'),
  );
  if (found.kind === 'serve') return 'serve';
  return found.kind === 'release' ? `release ${found.cause}` : `ignore: ${found.why}`;
}

const ours = { annotations: { 'allocated-by': 'PureLB' }, ingress: [{ ip: '192.0.2.1' }] };
const finalizers = [cleanupFinalizer];

test('I8: both our classes are ours, no class only for the default announcer', () => {
  assert.equal(fate({}), 'serve');
  assert.equal(fate({ class: 'purelb.io/purelb' }, { isDefault: false }), 'serve');
  assert.equal(fate({ class: 'purelb.io/purelbv2' }, { isDefault: false }), 'serve');
  assert.equal(
    fate({ class: 'example.com/lb' }),
    'ignore: its loadBalancerClass is example.com/lb',
  );
  assert.match(fate({}, { isDefault: false }), /^ignore: it has no loadBalancerClass/);
  assert.match(fate(ours, { isDefault: false }), /^ignore/, 'what it holds it keeps');
});

test('Services of the cluster itself, and those without a cluster IP, are left alone', () => {
  assert.equal(fate({}, { key: 'default/kubernetes' }), 'ignore: it is one of the cluster itself');
  assert.equal(fate({ spec: { clusterIP: 'None' } }), 'ignore: it has no cluster IP');
});

test('17.26: addresses without our brand are others\u2019 unless all lie in our ranges', () => {
  const theirs = 'ignore: its addresses are not ours';
  assert.equal(fate({ ingress: [{ ip: '203.0.113.1' }] }), theirs);
  assert.equal(fate({ ingress: [{ hostname: 'x.example' }] }), theirs);
  assert.equal(fate({ ingress: [{ ip: '192.0.2.1' }, { hostname: 'x.example' }] }), theirs);
  assert.equal(fate({ ingress: [{ ip: '192.0.2.1' }] }), 'serve');
  assert.equal(fate({ ...ours, ingress: [{ ip: '203.0.113.1' }] }), 'serve');
});

test('17.17: another type releases whatever is marked, before any other question', () => {
  assert.equal(fate({ ...ours, type: 'ClusterIP' }, { isDefault: false }), 'release type');
  assert.equal(fate({ type: 'ClusterIP', annotations: { 'pool-type': 'local' } }), 'release type');
  assert.equal(fate({ type: 'ClusterIP' }), 'ignore: it is of type ClusterIP');
});

test('each mark that only we write is one', () => {
  const marks = {
    'allocated-by': 'PureLB',
    'allocated-from': 'x',
    'allocated-prefixes': '192.0.2.1/24',
    'pool-type': 'local',
    'skip-ipv6-dad': 'true',
    'announcing-IPv4': 'n,e,192.0.2.1',
    'added-to': 'n/e',
  };
  for (const [name, value] of Object.entries(marks)) {
    const text = { type: 'ClusterIP', annotations: { [name]: value } };
    assert.equal(fate(text), 'release type', name);
  }
  assert.match(fate({ type: 'ClusterIP', annotations: { 'allocated-by': 'Other' } }), /^ignore/);
});

test('I16: a deleted Service is released if the finalizer is ours, and is left to others if not', () => {
  assert.equal(fate({ ...ours, finalizers }, { isDeleting: true }), 'release deleted');
  assert.equal(
    fate({ ...ours, finalizers }, { isDeleting: true, isDefault: false }),
    'release deleted',
  );
  assert.equal(fate({ finalizers }, { isDeleting: true }), 'ignore: it is being deleted');
  const own = { class: 'purelb.io/purelb', finalizers };
  assert.equal(fate(own, { isDeleting: true }), 'release deleted');
  assert.equal(fate({ finalizers: ['x/y'] }, { isDeleting: true }), 'ignore: it is being deleted');
});

test('a class that is no longer ours keeps what it was given, and loses marks without addresses', () => {
  const foreign = { class: 'example.com/lb' };
  assert.match(fate({ ...ours, ...foreign }), /^ignore/);
  assert.equal(fate({ ...ours, ...foreign }, { isDeleting: true }), 'release deleted');
  assert.equal(fate({ ...ours, ...foreign, ingress: [{ ip: '203.0.113.1' }] }), 'release class');
});

test('the finalizer is ours with our brand, our class, or a condition of ours that says so', () => {
  const condition = (status: string) => {
    const object = rawService('a/1', {}, {});
    const conditions = [{ type: 'Allocated', status, reason: 'Allocated', message: '' }];
    return must(readService({ ...object, status: { conditions } }));
  };
  assert.equal(ownsFinalizer(read(ours)), true);
  assert.equal(ownsFinalizer(read({ class: 'purelb.io/purelb' })), true);
  assert.equal(ownsFinalizer(read({})), false);
  assert.deepEqual(
    [ownsFinalizer(condition('True')), ownsFinalizer(condition('False'))],
    [true, false],
  );
});
