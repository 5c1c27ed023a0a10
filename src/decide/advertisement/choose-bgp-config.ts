/** Which BGPConfiguration is in force: the oldest one, for a daemon can follow only one. */

import type { BgpConfig } from '../../model/bgp-config.ts';
import { compareTexts } from '../../model/compare-texts.ts';
import type { Reading } from '../../model/cursor.ts';
import { type Identity, keyOf } from '../../model/identity.ts';
import { isProblem, type Problem } from '../../model/parsed.ts';
import { findUnsupported } from './find-unsupported.ts';

export interface BgpOffer {
  readonly identity: Pick<
    Identity,
    'namespace' | 'name' | 'uid' | 'generation' | 'createdAt' | 'isDeleting'
  >;
  readonly reading: Reading<BgpConfig>;
}

export interface BgpChoice {
  /** Undefined: there is none. */
  readonly chosen: BgpOffer | undefined;
  /** Undefined: there is none, or what is wrong with it stands in `problems`. */
  readonly config: BgpConfig | undefined;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** Those that have to wait. */
  readonly others: readonly BgpOffer[];
}

/** One that cannot be read is not passed over: it would let another one take its place unseen. */
export function chooseBgpConfig(offers: readonly BgpOffer[]): BgpChoice {
  const [chosen, ...others] = offers
    .filter(({ identity }) => !identity.isDeleting)
    .sort(compareOffers);
  if (chosen === undefined) {
    return { chosen, config: undefined, problems: [], warnings: [], others };
  }
  const { reading } = chosen;
  const problems = isProblem(reading) ? reading.problems : findUnsupported(reading.value);
  const config = isProblem(reading) || problems.length > 0 ? undefined : reading.value;
  return { chosen, config, problems, warnings: reading.warnings, others };
}

function compareOffers({ identity: left }: BgpOffer, { identity: right }: BgpOffer): number {
  return left.createdAt - right.createdAt || compareTexts(keyOf(left), keyOf(right));
}

export function describeProblems(problems: readonly Problem[]): string {
  return problems
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    .join('; ');
}
