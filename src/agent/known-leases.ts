/**
 * Leases as they are read again and again: each member renews its own every few seconds, and mostly nothing in it is new
 * but for when. With a hundred members that is most of what an idle agent hears.
 */

import { leaseAnnotations } from '../model/annotations.ts';
import { parseLifetimes } from '../model/kernel-lifetimes.ts';
import type { KubeObject } from '../model/kube-object.ts';
import type { Member } from '../model/member.ts';
import { isProblem } from '../model/parsed.ts';
import { parseTimestamp } from '../model/timestamp.ts';
import { type KnownLease, knowLease } from './known-objects.ts';

interface Reading {
  /** Everything but what each renewal changes. */
  readonly said: string;
  /** When that was said first. */
  readonly known: KnownLease;
}

interface Renewal {
  readonly renewTime: string;
  readonly resourceVersion: string;
  readonly lifetimes: string;
}

/** More than a cluster has nodes; names of those that are gone are not kept for ever. */
const mostNames = 10_000;

export class KnownLeases {
  readonly #readings = new Map<string, Reading>();

  /** The same as `knowLease`. */
  know(object: KubeObject): KnownLease {
    const { name } = object.metadata;
    const { said, renewal } = takeApart(object);
    if (renewal === undefined) return knowLease(object);
    const before = this.#readings.get(name);
    if (before?.said === said) return renew(before.known, renewal);
    const known = knowLease(object);
    if (this.#readings.size >= mostNames) this.#readings.clear();
    this.#readings.set(name, { said, known });
    return known;
  }
}

/** `renewal` undefined: it is not as agents write it. */
function takeApart({ metadata, ...rest }: KubeObject) {
  const { resourceVersion, annotations, ...identity } = metadata;
  const { [leaseAnnotations.lifetimes]: lifetimes = '', ...others } = annotations ?? {};
  const { renewTime, ...terms } = (rest['spec'] ?? {}) as { readonly renewTime?: unknown };
  const texts = { renewTime, resourceVersion, lifetimes };
  const renewal = isRenewal(texts) ? texts : undefined;
  return { said: JSON.stringify([identity, others, terms]), renewal };
}

function isRenewal(texts: Readonly<Record<keyof Renewal, unknown>>): texts is Renewal {
  const { renewTime, resourceVersion, lifetimes } = texts;
  const areTexts = typeof resourceVersion === 'string' && typeof lifetimes === 'string';
  return areTexts && typeof renewTime === 'string' && !isProblem(parseTimestamp(renewTime));
}

function renew({ metadata, value, essence }: KnownLease, renewal: Renewal): KnownLease {
  const { resourceVersion } = renewal;
  return {
    metadata: { ...metadata, resourceVersion },
    value: value === undefined ? undefined : renewMember(value, renewal),
    essence,
  };
}

/** For how long addresses last matters only of members that are gone; each may have an end of its own. */
function renewMember(member: Member, { renewTime, resourceVersion, lifetimes }: Renewal): Member {
  let parsed: Member['lifetimes'] | undefined;
  return {
    ...member,
    renewTime,
    resourceVersion,
    get lifetimes() {
      parsed ??= parseLifetimes(lifetimes);
      return parsed;
    },
  };
}
