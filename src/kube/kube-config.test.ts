import assert from 'node:assert/strict';
import { test } from 'node:test';
import { must } from '../model/parsed.ts';
import { type KubeConfigChoice, type KubeConfigFile, parseKubeConfig } from './kube-config.ts';

const pem = '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n';
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A file with one cluster, one user and one context, all called "lab". */
function file(cluster: object, user: object, path = '/home/me/.kube/config'): KubeConfigFile {
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'lab',
    clusters: [{ name: 'lab', cluster: { server: 'https://192.0.2.1:6443', ...cluster } }],
    users: [{ name: 'lab', user }],
    contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'lab' } }],
  };
  return { path, content };
}

function read(files: readonly KubeConfigFile[], choice?: KubeConfigChoice) {
  return must(parseKubeConfig(files, choice));
}

function problemsIn(
  files: readonly KubeConfigFile[],
  choice?: KubeConfigChoice,
): readonly string[] {
  const parsed = parseKubeConfig(files, choice);
  if ('value' in parsed) return [];
  return parsed.problems.map(({ path, message }) => `${path}: ${message}`);
}

test('data in the file, in base64, is taken as it is', () => {
  const user = { 'client-certificate-data': base64(pem), 'client-key-data': base64(pem) };
  assert.deepEqual(read([file({ 'certificate-authority-data': base64(pem) }, user)]), {
    server: 'https://192.0.2.1:6443',
    ca: { text: pem },
    clientCertificate: { cert: { text: pem }, key: { text: pem } },
  });
});

test('paths are relative to the file they stand in', () => {
  const cluster = { 'certificate-authority': 'ca.crt', 'tls-server-name': 'api.example' };
  const user = { tokenFile: '/run/token', token: 'old' };
  assert.deepEqual(read([file(cluster, user)]), {
    server: 'https://192.0.2.1:6443',
    ca: { file: '/home/me/.kube/ca.crt' },
    serverName: 'api.example',
    token: { file: '/run/token' },
  });
});

test('a context may be chosen, has its namespace, and needs no user', () => {
  const base = file({}, { token: 'secret' });
  const contexts = [{ name: 'other', context: { cluster: 'lab', namespace: 'purelb-system' } }];
  const second = { path: '/etc/second', content: { contexts } };
  assert.deepEqual(read([base, second], { context: 'other' }), {
    server: 'https://192.0.2.1:6443',
    namespace: 'purelb-system',
  });
});

test('of several files the first that has an entry wins', () => {
  const first = file({ server: 'https://192.0.2.9' }, { token: 'first' }, '/first');
  const second = file({}, { token: 'second' }, '/second');
  assert.deepEqual(read([first, second]), {
    server: 'https://192.0.2.9',
    token: { text: 'first' },
  });
});

test('what is missing is named, with the files that were searched', () => {
  assert.deepEqual(problemsIn([{ path: '/a', content: null }]), [
    'current-context: is not set in /a: choose a context by name',
  ]);
  assert.deepEqual(problemsIn([file({}, {})], { context: 'nowhere' }), [
    'contexts: no context is called "nowhere" in /home/me/.kube/config',
  ]);
  const dangling = { contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }] };
  assert.deepEqual(problemsIn([{ path: '/a', content: dangling }], { context: 'x' }), [
    'clusters: no cluster is called "c" in /a',
    'users: no user is called "u" in /a',
  ]);
});

test('a certificate that is not checked is refused unless insisted upon', () => {
  const files = [file({ 'insecure-skip-tls-verify': true }, {})];
  assert.match(problemsIn(files).join(), /insecure-skip-tls-verify: is refused/);
  assert.equal(read(files, { isInsecureAllowed: true }).isInsecure, true);
});

test('what we cannot do is said, all at once, instead of passed over', () => {
  const user = {
    exec: { command: 'aws' },
    'auth-provider': {},
    username: 'me',
    as: 'someone',
    'client-certificate': 'c',
  };
  const cluster = {
    server: 'nonsense',
    'proxy-url': 'http://p',
    'certificate-authority-data': 'eA',
  };
  assert.deepEqual(
    problemsIn([file(cluster, user)]).map((text) => text.split(': ')[0]),
    [
      'clusters[lab].cluster.server',
      'clusters[lab].cluster.proxy-url',
      'clusters[lab].cluster.certificate-authority-data',
      'users[lab].user.exec',
      'users[lab].user.auth-provider',
      'users[lab].user.username',
      'users[lab].user.as',
      'users[lab].user',
    ],
  );
});
