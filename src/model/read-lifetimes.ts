import type { Lifetime } from './agent-config.ts';
import type { Cursor } from './cursor.ts';

/** Below this an agent that is merely slow would lose its addresses. */
const shortestSeconds = 60;
const longest = 2 ** 31 - 1;

/** `spec.local.addressConfig`. */
export function readLifetimes(cursor: Cursor): {
  readonly localLifetime: Lifetime;
  readonly dummyLifetime: Lifetime;
} {
  const at = cursor.fields('localInterface', 'dummyInterface');
  return {
    localLifetime: readLifetime(at.localInterface, { valid: 300, noPrefixRoute: true }),
    dummyLifetime: readLifetime(at.dummyInterface, { valid: 0, noPrefixRoute: false }),
  };
}

function readLifetime(
  cursor: Cursor,
  usual: { readonly valid: number; readonly noPrefixRoute: boolean },
): Lifetime {
  const at = cursor.fields('validLifetime', 'preferredLifetime', 'noPrefixRoute');
  const written = at.validLifetime.integer({ min: 0, max: longest }) ?? usual.valid;
  const valid = written === 0 ? Infinity : Math.max(written, shortestSeconds);
  if (valid !== written && written !== 0) {
    at.validLifetime.warn(`${written} is too short: ${shortestSeconds} is used`);
  }
  const preferred = at.preferredLifetime.integer({ min: 0, max: longest }) ?? valid;
  return {
    validSeconds: valid,
    // An address that lives for ever is preferred for ever: the kernel knows no other kind of permanent address.
    preferredSeconds: valid === Infinity ? Infinity : Math.min(preferred, valid),
    noPrefixRoute: at.noPrefixRoute.boolean() ?? usual.noPrefixRoute,
  };
}
