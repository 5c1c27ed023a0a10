/**
 * Histories of the usual campaign that still break a bound, with what is known of each. The campaign fails on any other
 * seed, and on one of these that no longer breaks a bound: then its line goes.
 */

export const knownViolations: ReadonlyMap<number, string> = new Map([]);
