/**
 * Members that were silent for a while. Who was only cut off never knew, and still holds what others took from it: so
 * whoever took something meanwhile asks for it when they are back. Times are ms on the monotonic clock.
 */

export interface Absence {
  readonly node: string;
  /** This node's, on which it did not answer. */
  readonly link: string;
  /** When it was last heard: what was asked just after may have got no answer for the same reason. */
  readonly from: number;
  readonly to: number;
}

/** Long after everything has been asked for that was taken. */
const keptMs = 10_000;

/** The last one of each member on each link. */
export function noteAbsence(before: readonly Absence[], news: Absence): readonly Absence[] {
  const isKept = ({ node, link, to }: Absence) =>
    news.to - to < keptMs && (node !== news.node || link !== news.link);
  return [...before.filter(isKept), news];
}

/** Those that may still hold what was taken here, or last verified, at this time. */
export function findTakenFrom(
  absences: readonly Absence[],
  link: string,
  verifiedAt: number,
): readonly Absence[] {
  return absences.filter(
    (each) => each.link === link && each.from < verifiedAt && verifiedAt < each.to,
  );
}
