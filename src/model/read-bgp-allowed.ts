/** `serviceAttributes`: what Services may ask for their routes. */

import type { AllowedAttributes, NumberBounds } from './bgp-config.ts';
import { parseCommunity, parseLargeCommunity } from './community.ts';
import type { Cursor } from './cursor.ts';
import { isProblem, type Parsed } from './parsed.ts';

export function readAllowedAttributes(cursor: Cursor): AllowedAttributes {
  const at = cursor.fields('communities', 'maxAsPathPrepend', 'med', 'localPref');
  return {
    communities: at.communities.items().flatMap((item) => item.parse(parseAllowed) ?? []),
    mostPrepends: at.maxAsPathPrepend.integer({ min: 0, max: 16 }) ?? 0,
    med: readBounds(at.med),
    localPreference: readBounds(at.localPref),
  };
}

const uint32 = { min: 0, max: 4_294_967_295 };

function readBounds(cursor: Cursor): NumberBounds | undefined {
  if (!cursor.isPresent) return undefined;
  const at = cursor.fields('min', 'max');
  const min = at.min.integer(uint32) ?? 0;
  const max = at.max.required().integer(uint32) ?? 0;
  if (at.max.isPresent && max < min) at.max.refuse(`must not be less than min: write ${min}`);
  return { min, max };
}

/** A community of either kind, or all that begin alike: `64500:*`. */
function parseAllowed(text: string, path: string): Parsed<string> {
  const example = text.replace(/:\*$/, ':0');
  const parsed =
    example.split(':').length === 3
      ? parseLargeCommunity(example, path)
      : parseCommunity(example, path);
  return isProblem(parsed) ? parsed : { value: text };
}
