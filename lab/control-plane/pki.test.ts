import assert from 'node:assert/strict';
import { sign, verify, X509Certificate } from 'node:crypto';
import { duplexPair } from 'node:stream';
import { test } from 'node:test';
import * as tls from 'node:tls';
import { type Certificate, makeAuthority, makeSigningKeys } from './pki.ts';

const now = new Date('2026-11-15T10:00:00Z');

test('an authority signs itself and may sign others, nothing else', () => {
  const ca = new X509Certificate(makeAuthority('lab of the day', now).ca);
  assert.deepEqual(
    {
      subject: ca.subject,
      issuer: ca.issuer,
      isAuthority: ca.ca,
      signed: ca.verify(ca.publicKey),
      from: ca.validFrom,
      to: ca.validTo,
    },
    {
      subject: 'CN=lab of the day',
      issuer: 'CN=lab of the day',
      isAuthority: true,
      signed: true,
      from: 'Nov 14 10:00:00 2026 GMT',
      to: 'Nov 15 10:00:00 2027 GMT',
    },
  );
});

test('a server certificate names its hosts, a client certificate its user and groups', () => {
  const authority = makeAuthority('lab', now);
  const ca = new X509Certificate(authority.ca);
  const read = ({ cert }: Certificate) => {
    const certificate = new X509Certificate(cert);
    const { subject, subjectAltName, ca: isAuthority, keyUsage: purposes } = certificate;
    const signed = certificate.checkIssued(ca) && certificate.verify(ca.publicKey);
    return { subject, subjectAltName, isAuthority, purposes, signed };
  };
  assert.deepEqual(
    [
      authority.issue({ commonName: 'api', hosts: ['localhost', '192.0.2.1', '2001:db8::1'] }),
      authority.issue({ commonName: 'alice', organisations: ['readers', 'ops'], client: true }),
    ].map(read),
    [
      {
        subject: 'CN=api',
        subjectAltName: 'DNS:localhost, IP Address:192.0.2.1, IP Address:2001:DB8:0:0:0:0:0:1',
        isAuthority: false,
        purposes: ['1.3.6.1.5.5.7.3.1'],
        signed: true,
      },
      {
        subject: 'O=readers\nO=ops\nCN=alice',
        subjectAltName: undefined,
        isAuthority: false,
        purposes: ['1.3.6.1.5.5.7.3.2'],
        signed: true,
      },
    ],
  );
});

/** Shakes hands in memory; resolves to what the server knows of the client, or to the client's objection. */
async function shakeHands(
  server: Certificate & { readonly ca: string },
  client: Partial<Certificate> & { readonly ca: string; readonly servername: string },
): Promise<string> {
  const [near, far] = duplexPair();
  const { promise, resolve } = Promise.withResolvers<string>();
  const acceptor = tls.createServer({ ...server, requestCert: true, rejectUnauthorized: false });
  acceptor.on('secureConnection', (accepted) => {
    const subject = accepted.getPeerX509Certificate()?.subject ?? 'nobody';
    resolve(`${subject}, ${accepted.authorized ? 'trusted' : accepted.authorizationError}`);
  });
  acceptor.emit('connection', far);
  const connected = tls.connect({ socket: near, ...client });
  connected.on('error', (error) => resolve(error.message));
  return promise;
}

test('both ends of a TLS connection accept what the authority issued, and nothing else', async () => {
  const { ca, issue } = makeAuthority();
  const server = { ca, ...issue({ commonName: 'api', hosts: ['api.lab'] }) };
  const alice = issue({ commonName: 'alice', client: true });
  const stranger = makeAuthority();
  assert.deepEqual(
    await Promise.all([
      shakeHands(server, { ca, servername: 'api.lab', ...alice }),
      shakeHands(server, {
        ca,
        servername: 'api.lab',
        ...stranger.issue({ commonName: 'alice', client: true }),
      }),
      shakeHands(server, { ca, servername: 'other.lab', ...alice }),
      shakeHands(server, { ca: stranger.ca, servername: 'api.lab' }),
    ]),
    [
      'CN=alice, trusted',
      'CN=alice, UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      "Hostname/IP does not match certificate's altnames: Host: other.lab. is not in the cert's altnames: DNS:api.lab",
      'self-signed certificate in certificate chain',
    ],
  );
});

test('signing keys are a pair', () => {
  const { publicKey, privateKey } = makeSigningKeys();
  const message = Buffer.from('token');
  assert.ok(verify('sha256', message, publicKey, sign('sha256', message, privateKey)));
});
