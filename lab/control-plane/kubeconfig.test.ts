import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { renderKubeconfig, writeKubeconfig } from './kubeconfig.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const server = { url: 'https://192.0.2.1:6443', ca: 'authority', user: 'alice' };

test('a kubeconfig holds one server, and one user with a token or a certificate', () => {
  assert.deepEqual(JSON.parse(renderKubeconfig({ ...server, credentials: { token: 'secret' } })), {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'lab',
        cluster: {
          server: 'https://192.0.2.1:6443',
          'certificate-authority-data': base64('authority'),
        },
      },
    ],
    users: [{ name: 'alice', user: { token: 'secret' } }],
    contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'alice' } }],
    'current-context': 'lab',
  });
  const certificate = { cert: 'certificate', key: 'key' };
  const { users } = JSON.parse(renderKubeconfig({ ...server, credentials: certificate }));
  assert.deepEqual(users[0].user, {
    'client-certificate-data': base64('certificate'),
    'client-key-data': base64('key'),
  });
});

test('a program that is reading a kubeconfig while it is written again reads one whole file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'purelb-kubeconfig-'));
  const tokenIn = (text: string) => JSON.parse(text).users[0].user.token;
  try {
    const path = join(folder, 'kube-proxy');
    writeKubeconfig(path, { ...server, credentials: { token: 'first' } });
    const reader = openSync(path, 'r');
    writeKubeconfig(path, { ...server, credentials: { token: 'second' } });
    assert.equal(tokenIn(readFileSync(reader, 'utf8')), 'first');
    assert.equal(tokenIn(readFileSync(path, 'utf8')), 'second');
    closeSync(reader);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
