/** Configurations and what follows from them, in few words, for tests. */

import type { BgpConfig } from '../../model/bgp-config.ts';
import { ipOf } from '../../model/ip.ts';
import { must } from '../../model/parsed.ts';
import { readBgpConfiguration } from '../../model/read-bgp-configuration.ts';
import type { SpeakerWish } from '../../model/speaker.ts';
import type { BgpOffer } from './choose-bgp-config.ts';
import { compilePolicies } from './compile-policies.ts';
import { resolveSessions, type SecretAnswer, type SessionFacts } from './resolve-sessions.ts';

export const usualImport = { enabled: true, interfaceList: ['kube-lb0'] };

export function offerOf(spec: object, metadata: object = {}): BgpOffer {
  const object = {
    metadata: {
      namespace: 'purelb-system',
      name: 'default',
      uid: 'u1',
      generation: 1,
      creationTimestamp: '2026-06-01T12:00:00Z',
      ...metadata,
    },
    spec: { global: { asn: 64_500 }, netlinkImport: usualImport, ...spec },
  };
  const { metadata: meta } = object as unknown as { metadata: Record<string, string> };
  return {
    identity: {
      namespace: meta['namespace'] ?? '',
      name: meta['name'] ?? '',
      uid: meta['uid'] ?? '',
      generation: 1,
      createdAt: Date.parse(meta['creationTimestamp'] ?? ''),
      isDeleting: 'deletionTimestamp' in meta,
    },
    reading: readBgpConfiguration(object),
  };
}

export function bgpConfig(spec: object = {}): BgpConfig {
  return must(offerOf(spec).reading);
}

export const noSecrets = (): SecretAnswer => ({ kind: 'absent', words: 'there is no such Secret' });

export function sessionsOf(spec: object, more: Partial<SessionFacts> = {}) {
  const config = bgpConfig(spec);
  return resolveSessions({ config, labels: new Map(), secret: noSecrets, ...more });
}

export function wishOf(spec: object, more: Partial<SpeakerWish> = {}): SpeakerWish {
  const config = bgpConfig(spec);
  const sessions = sessionsOf(spec);
  const { asn, listenPort, listenAddresses, usesMultiplePaths, routeSelection, bindToDevice } =
    config.global;
  return {
    identity: {
      asn,
      routerId: ipOf('192.0.2.11'),
      listenPort,
      listenAddresses,
      usesMultiplePaths,
      routeSelection,
      bindToDevice,
    },
    policies: compilePolicies(config, sessions),
    groups: sessions.groups.map(({ wish }) => wish),
    peers: sessions.peers.map(({ wish }) => wish),
    paths: [],
    ...more,
  };
}

export const router = (config: object = {}, more: object = {}) => ({
  config: { neighborAddress: '198.51.100.1', peerAsn: 64_501, ...config },
  ...more,
});
