/** How often things happen, from counts that only grow. */

export type Tally = Readonly<Record<string, number>>;

export interface Sample {
  /** In ms, on a clock that never jumps. */
  readonly at: number;
  readonly tally: Tally;
}

const windowMs = 3000;

/** The samples that the rates of now need. */
export function keepSample(samples: readonly Sample[], sample: Sample): readonly Sample[] {
  const kept = samples.filter(({ at }) => at > sample.at - windowMs);
  return [...kept, sample];
}

/** Per second over the samples; nothing is known from a single one. */
export function ratesOf(samples: readonly Sample[]): Tally {
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined || last.at <= first.at) return {};
  const seconds = (last.at - first.at) / 1000;
  return Object.fromEntries(
    Object.entries(last.tally).map(([kind, count]) => [
      kind,
      (count - (first.tally[kind] ?? 0)) / seconds,
    ]),
  );
}
