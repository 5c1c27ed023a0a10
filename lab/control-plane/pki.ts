/** Certificates (RFC 5280) for the lab: Node can read X.509 but not write it, and a process per certificate is slow. */

import { generateKeyPairSync, hash, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { ipOf, ipToBytes } from '../../src/model/ip.ts';
import * as der from './der.ts';

/** Both in PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

export interface CertificateRequest {
  readonly commonName: string;
  /** Kubernetes reads a client's groups here. */
  readonly organisations?: readonly string[];
  /** Names and addresses under which a server is reached. */
  readonly hosts?: readonly string[];
  /** For a client that proves itself by it; otherwise it is a server's. */
  readonly client?: boolean;
}

export interface Authority {
  /** The authority's own certificate, in PEM. */
  readonly ca: string;
  issue(request: CertificateRequest): Certificate;
}

export function makeAuthority(commonName = 'PureLB lab', now = new Date()): Authority {
  const keys = makeKeys();
  const name = distinguishedName(commonName, []);
  const signer = authorityKeyIdentifier(keys.publicKey);
  const certify = (subject: Buffer, publicKey: KeyObject, purpose: readonly Buffer[]) => {
    const extensions = [...purpose, subjectKeyIdentifier(publicKey), signer];
    return signed({ issuer: name, subject, publicKey, extensions, now }, keys.privateKey);
  };
  return {
    ca: certify(name, keys.publicKey, [authorityConstraints, authorityUsage]),
    issue: ({ commonName, organisations = [], hosts = [], client = false }) => {
      const own = makeKeys();
      const usage = client ? clientUsage : serverUsage;
      const names = hosts.length === 0 ? [] : [alternativeNames(hosts)];
      const subject = distinguishedName(commonName, organisations);
      return {
        cert: certify(subject, own.publicKey, [endUsage, usage, ...names]),
        key: pem(own.privateKey),
      };
    },
  };
}

/** A key pair as Kubernetes wants it for service account tokens, both in PEM. */
export function makeSigningKeys(): { readonly publicKey: string; readonly privateKey: string } {
  const { publicKey, privateKey } = makeKeys();
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    privateKey: pem(privateKey),
  };
}

function makeKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function pem(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

const oid = {
  commonName: '2.5.4.3',
  organisation: '2.5.4.10',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  alternativeName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const;

function extension(id: string, critical: boolean, value: Buffer): Buffer {
  const flag = critical ? [der.boolean(true)] : [];
  return der.sequence(der.objectIdentifier(id), ...flag, der.octetString(value));
}

const authorityConstraints = extension(oid.basicConstraints, true, der.sequence(der.boolean(true)));
// keyCertSign and cRLSign are bits 5 and 6 of the string, digitalSignature is bit 0.
const authorityUsage = extension(oid.keyUsage, true, der.bitString(Buffer.from([0b0000_0110]), 1));
const endUsage = extension(oid.keyUsage, true, der.bitString(Buffer.from([0b1000_0000]), 7));
const extendedUsage = (id: string) =>
  extension(oid.extendedUsage, false, der.sequence(der.objectIdentifier(id)));
const serverUsage = extendedUsage(oid.serverAuth);
const clientUsage = extendedUsage(oid.clientAuth);

/** RFC 7093, section 2, method 4. Strict readers want one, to tell issuers of the same name apart. */
function keyIdentifier(publicKey: KeyObject): Buffer {
  return hash('sha256', subjectPublicKeyInfo(publicKey), 'buffer').subarray(0, 20);
}

function subjectKeyIdentifier(publicKey: KeyObject): Buffer {
  return extension(oid.subjectKeyIdentifier, false, der.octetString(keyIdentifier(publicKey)));
}

function authorityKeyIdentifier(publicKey: KeyObject): Buffer {
  const identifier = der.sequence(der.tagged(0x80, keyIdentifier(publicKey)));
  return extension(oid.authorityKeyIdentifier, false, identifier);
}

function subjectPublicKeyInfo(publicKey: KeyObject): Buffer {
  return publicKey.export({ type: 'spki', format: 'der' });
}

/** GeneralName: dNSName is [2], iPAddress is [7], its bytes in network order. */
function alternativeNames(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) =>
    isIP(host) === 0
      ? der.tagged(0x82, Buffer.from(host))
      : der.tagged(0x87, ipToBytes(ipOf(host))),
  );
  return extension(oid.alternativeName, false, der.sequence(...names));
}

function distinguishedName(commonName: string, organisations: readonly string[]): Buffer {
  const attribute = (id: string, text: string) =>
    der.set(der.sequence(der.objectIdentifier(id), der.utf8String(text)));
  const groups = organisations.map((organisation) => attribute(oid.organisation, organisation));
  return der.sequence(...groups, attribute(oid.commonName, commonName));
}

interface Contents {
  readonly issuer: Buffer;
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly extensions: readonly Buffer[];
  readonly now: Date;
}

const algorithm = der.sequence(der.objectIdentifier(oid.ecdsaWithSha256));
const day = 86_400_000;

/** Valid from yesterday, so that clocks may differ, for a year. */
function signed({ issuer, subject, publicKey, extensions, now }: Contents, by: KeyObject): string {
  const version3 = der.tagged(0xa0, der.integer(Buffer.from([2])));
  const validity = der.sequence(
    der.utcTime(new Date(now.getTime() - day)),
    der.utcTime(new Date(now.getTime() + 365 * day)),
  );
  const toBeSigned = der.sequence(
    version3,
    der.integer(randomBytes(16)),
    algorithm,
    issuer,
    validity,
    subject,
    subjectPublicKeyInfo(publicKey),
    der.tagged(0xa3, der.sequence(...extensions)),
  );
  const signature = der.bitString(sign('sha256', toBeSigned, by));
  return toPem(der.sequence(toBeSigned, algorithm, signature));
}

function toPem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
