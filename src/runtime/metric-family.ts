import type { Series } from './metric.ts';
import { formatLabels, type Labels } from './metric-text.ts';

/** All series of one metric, by the values of its labels. */
export class MetricFamily<S extends Series, Label extends string> {
  readonly #name: string;
  readonly #labels: readonly Label[];
  readonly #create: () => S;
  /** By label text. */
  readonly #series = new Map<string, S>();
  #order: readonly string[] | undefined;

  constructor(name: string, labels: readonly Label[], create: () => S) {
    this.#name = name;
    this.#labels = labels;
    this.#create = create;
  }

  /** The series of these label values; it starts at 0 when first asked for. */
  with(labels: Labels<Label>): S {
    const key = this.#keyOf(labels);
    const known = this.#series.get(key);
    if (known !== undefined) return known;
    const series = this.#create();
    this.#series.set(key, series);
    this.#order = undefined;
    return series;
  }

  /** For what no longer exists; whoever still holds the series counts into the void. */
  remove(labels: Labels<Label>): void {
    if (this.#series.delete(this.#keyOf(labels))) this.#order = undefined;
  }

  clear(): void {
    this.#series.clear();
    this.#order = undefined;
  }

  render(): string {
    this.#order ??= [...this.#series.keys()].sort();
    let text = '';
    for (const key of this.#order) text += this.#series.get(key)?.render(this.#name, key) ?? '';
    return text;
  }

  #keyOf(labels: Labels<Label>): string {
    return formatLabels(this.#name, this.#labels, labels);
  }
}
