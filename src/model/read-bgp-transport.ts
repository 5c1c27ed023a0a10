/** Blocks of a session that are about its connection: families, timers, TCP, hops, BFD. */

import type { Bfd, BgpTimers, BgpTransport, FamilySettings } from './bgp-config.ts';
import type { Cursor } from './cursor.ts';
import { parseIp } from './ip.ts';
import { readFamilyName, warnInert } from './read-bgp-parts.ts';

/** One entry of `afiSafis`; nothing if its family is not ours. */
export function readFamilySettings(cursor: Cursor): readonly FamilySettings[] {
  const at = cursor.fields('family', 'enabled', 'prefixLimit', 'addPaths');
  const isEnabled = at.enabled.required().boolean() ?? false;
  // A family that is switched off needs no one to carry it out.
  const family = isEnabled
    ? readFamilyName(at.family.required())
    : at.family.attempt(readFamilyName);
  const prefixLimit = readPrefixLimit(at.prefixLimit);
  const addPaths = readAddPaths(at.addPaths);
  return family === undefined ? [] : [{ family, isEnabled, prefixLimit, addPaths }];
}

/** `timers.config`, in seconds; 0 is the daemon's default. */
export function readTimers(cursor: Cursor): BgpTimers | undefined {
  if (!cursor.isPresent) return undefined;
  const { config } = cursor.fields('config');
  const at = config.fields('connectRetry', 'holdTime', 'keepaliveInterval');
  warnInert(config.fields('minimumAdvertisementInterval'));
  const timers: BgpTimers = {
    connectRetry: at.connectRetry.integer(seconds) || undefined,
    holdTime: at.holdTime.integer(seconds) || undefined,
    keepalive: at.keepaliveInterval.integer(seconds) || undefined,
  };
  const { holdTime, keepalive } = timers;
  if (holdTime !== undefined && keepalive !== undefined && keepalive >= holdTime) {
    at.keepaliveInterval.refuse(
      `must be shorter than holdTime: write ${Math.max(1, Math.floor(holdTime / 3))}`,
    );
  }
  // RFC 4271, 4.2: a hold time is zero or at least three seconds.
  if (holdTime !== undefined && holdTime < 3) at.holdTime.refuse('must be at least 3');
  return timers;
}

const seconds = { min: 0, max: 65_535 };

export function readTransport(cursor: Cursor): BgpTransport | undefined {
  if (!cursor.isPresent) return undefined;
  const at = cursor.fields('localAddress', 'passiveMode', 'bindInterface', 'ipTos');
  const local = at.localAddress;
  return {
    localAddress: local.string() === '' ? undefined : local.parse(parseIp),
    isPassive: at.passiveMode.boolean() ?? false,
    bindInterface: at.bindInterface.string() || undefined,
    ipTos: at.ipTos.integer({ min: 0, max: 255 }),
  };
}

export function readMultihopTtl(cursor: Cursor): number | undefined {
  if (!cursor.isPresent) return undefined;
  const at = cursor.fields('enabled', 'multihopTtl');
  const ttl = at.multihopTtl.integer({ min: 0, max: 255 }) || 255;
  return at.enabled.required().boolean() === true ? ttl : undefined;
}

/** `ttlSecurity`: 255 lets only direct neighbours be heard. */
export function readLeastTtl(cursor: Cursor): number | undefined {
  if (!cursor.isPresent) return undefined;
  const at = cursor.fields('enabled', 'ttlMin');
  const ttl = at.ttlMin.integer({ min: 0, max: 255 }) || 255;
  return at.enabled.required().boolean() === true ? ttl : undefined;
}

/** The block itself switches BFD on; `enabled: false` opts out of what a peer group says. */
export function readBfd(cursor: Cursor): Bfd | undefined {
  if (!cursor.isPresent) return undefined;
  const at = cursor.fields(
    'enabled',
    'port',
    'desiredMinimumTxInterval',
    'requiredMinimumReceive',
    'detectionMultiplier',
  );
  const interval = { min: 50_000, max: 30_000_000 };
  return {
    isEnabled: at.enabled.boolean() ?? true,
    port: at.port.integer({ min: 1024, max: 65_535 }) ?? 3784,
    transmitMicroseconds: at.desiredMinimumTxInterval.integer(interval) ?? 1_000_000,
    receiveMicroseconds: at.requiredMinimumReceive.integer(interval) ?? 1_000_000,
    multiplier: at.detectionMultiplier.integer({ min: 3, max: 255 }) ?? 3,
  };
}

function readPrefixLimit(cursor: Cursor): FamilySettings['prefixLimit'] {
  if (!cursor.isPresent) return undefined;
  const at = cursor.fields('maxPrefixes', 'shutdownThresholdPct');
  return {
    maxPrefixes: at.maxPrefixes.required().integer({ min: 0, max: 4_294_967_295 }) ?? 0,
    warnAtPercent: at.shutdownThresholdPct.integer({ min: 0, max: 100 }),
  };
}

function readAddPaths(cursor: Cursor): FamilySettings['addPaths'] {
  if (!cursor.isPresent) return undefined;
  const at = cursor.fields('receive', 'sendMax');
  return {
    receives: at.receive.boolean() ?? false,
    sendMax: at.sendMax.integer({ min: 0, max: 255 }) ?? 0,
  };
}
