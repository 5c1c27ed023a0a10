/**
 * Order of resource versions. Since Kubernetes 1.35 (KEP-5504) the versions of one resource are decimal numbers of
 * any size that can be compared; older servers on etcd or kine have always behaved so. A version of any other form
 * is not comparable, and whoever asks must then do what is safe without knowing.
 */

const decimal = /^[1-9][0-9]*$/;

/** Negative, zero or positive as `left` is older than, the same as or newer than `right`; undefined if unknowable. */
export function compareVersions(left: string, right: string): number | undefined {
  if (left === right) return 0;
  if (!decimal.test(left) || !decimal.test(right)) return undefined;
  if (left.length !== right.length) return left.length - right.length;
  return left < right ? -1 : 1;
}

/** False also when it cannot be known. */
export function isNewer(version: string, than: string): boolean {
  return (compareVersions(version, than) ?? 0) > 0;
}
