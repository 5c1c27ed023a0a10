/** The program's metrics and their Prometheus text. */

import { Counter, checkBuckets, defaultBuckets, Gauge, Histogram, type Series } from './metric.ts';
import { MetricFamily } from './metric-family.ts';
import { checkLabelNames, checkMetricName, formatHeader } from './metric-text.ts';

export interface MetricOptions {
  readonly name: string;
  readonly help: string;
}

export interface Labelled<Label extends string> {
  readonly labels: readonly Label[];
}

/** Values that are read only when somebody looks. */
export interface Collected {
  readonly collect?: () => number;
}

export interface CollectedFamily<S extends Series, Label extends string> {
  /** Called with the family emptied, to be filled anew. */
  readonly collect?: (family: MetricFamily<S, Label>) => void;
}

export interface Bucketed {
  readonly buckets?: readonly number[];
}

type MetricType = 'counter' | 'gauge' | 'histogram';

interface Registered {
  readonly header: string;
  readonly render: () => string;
}

/** Single metrics come from `counter`, `gauge`, `histogram`; those with labels from the plural. */
export class Metrics {
  readonly #onCollectError: (metric: string, error: unknown) => void;
  readonly #metrics = new Map<string, Registered>();
  /** Names of metrics and of the samples that histograms add. */
  readonly #taken = new Set<string>();

  constructor(onCollectError: (metric: string, error: unknown) => void) {
    this.#onCollectError = onCollectError;
  }

  counter(options: MetricOptions & Collected): Counter {
    const counter = new Counter();
    this.#addSingle(options, 'counter', counter, (value) => counter.setTotal(value));
    return counter;
  }

  gauge(options: MetricOptions & Collected): Gauge {
    const gauge = new Gauge();
    this.#addSingle(options, 'gauge', gauge, (value) => gauge.set(value));
    return gauge;
  }

  histogram(options: MetricOptions & Bucketed): Histogram {
    const histogram = createHistogram(options);
    this.#addSingle(options, 'histogram', histogram, () => {});
    return histogram;
  }

  counters<const Label extends string>(
    options: MetricOptions & Labelled<Label> & CollectedFamily<Counter, Label>,
  ): MetricFamily<Counter, Label> {
    return this.#addFamily(options, 'counter', () => new Counter());
  }

  gauges<const Label extends string>(
    options: MetricOptions & Labelled<Label> & CollectedFamily<Gauge, Label>,
  ): MetricFamily<Gauge, Label> {
    return this.#addFamily(options, 'gauge', () => new Gauge());
  }

  histograms<const Label extends string>(
    options: MetricOptions & Labelled<Label> & Bucketed,
  ): MetricFamily<Histogram, Label> {
    createHistogram(options);
    return this.#addFamily(options, 'histogram', () => createHistogram(options));
  }

  /** Everything, sorted by name and then by labels. A metric that cannot be collected is left out. */
  render(): string {
    const names = [...this.#metrics.keys()].sort();
    return names.map((name) => this.#renderMetric(name)).join('');
  }

  #renderMetric(name: string): string {
    const metric = this.#metrics.get(name);
    if (metric === undefined) return '';
    try {
      return `${metric.header}${metric.render()}`;
    } catch (error) {
      this.#onCollectError(name, error);
      return '';
    }
  }

  #addSingle(
    options: MetricOptions & Collected,
    type: MetricType,
    series: Series,
    set: (value: number) => void,
  ): void {
    const { name, collect } = options;
    this.#register(options, type, () => {
      if (collect !== undefined) set(collect());
      return series.render(name, '');
    });
  }

  #addFamily<S extends Series, Label extends string>(
    options: MetricOptions & Labelled<Label> & CollectedFamily<S, Label>,
    type: MetricType,
    create: () => S,
  ): MetricFamily<S, Label> {
    const { name, labels, collect } = options;
    checkLabelNames(name, labels);
    const family = new MetricFamily<S, Label>(name, labels, create);
    this.#register(options, type, () => {
      if (collect !== undefined) {
        family.clear();
        collect(family);
      }
      return family.render();
    });
    return family;
  }

  #register({ name, help }: MetricOptions, type: MetricType, render: () => string): void {
    checkMetricName(name);
    const samples = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [];
    const names = [name, ...samples.map((suffix) => `${name}${suffix}`)];
    const twice = names.find((taken) => this.#taken.has(taken));
    if (twice !== undefined) throw new TypeError(`there is a metric called ${twice} already`);
    for (const taken of names) this.#taken.add(taken);
    this.#metrics.set(name, { header: formatHeader(name, help, type), render });
  }
}

function createHistogram({ name, buckets = defaultBuckets }: MetricOptions & Bucketed): Histogram {
  checkBuckets(name, buckets);
  return new Histogram(buckets);
}
