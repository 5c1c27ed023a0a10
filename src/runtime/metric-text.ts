/** The words of the Prometheus text format 0.0.4. */

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

export type Labels<Name extends string> = Readonly<Record<Name, string>>;

export function checkMetricName(name: string): void {
  if (/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name)) return;
  throw new TypeError(`"${name}" is not a metric name: use letters, digits, "_" and ":"`);
}

export function checkLabelNames(metric: string, names: readonly string[]): void {
  for (const name of names) {
    if (/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name) && !name.startsWith('__') && name !== 'le') continue;
    throw new TypeError(
      `${metric}: "${name}" is not a label name: use letters, digits and "_"; "le" and names with "__" in front are taken`,
    );
  }
  if (new Set(names).size < names.length) throw new TypeError(`${metric}: a label is named twice`);
}

/** `a="1",b="2"` in the order of `names`, which is also the identity of a series; throws unless just these are given. */
export function formatLabels<Name extends string>(
  metric: string,
  names: readonly Name[],
  labels: Labels<Name>,
): string {
  const given = Object.keys(labels);
  if (given.length !== names.length || !names.every((name) => typeof labels[name] === 'string')) {
    throw new TypeError(
      `${metric} has the labels [${names.join(', ')}], and was given [${given.join(', ')}]`,
    );
  }
  return names.map((name) => `${name}="${escapeLabel(labels[name])}"`).join(',');
}

export function formatSample(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${formatValue(value)}\n`;
}

export function formatHeader(name: string, help: string, type: string): string {
  return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
}

export function formatValue(value: number): string {
  if (value === Infinity) return '+Inf';
  if (value === -Infinity) return '-Inf';
  return String(value);
}

function escapeHelp(text: string): string {
  return text.toWellFormed().replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}

function escapeLabel(text: string): string {
  if (!/["\\\n\ud800-\udfff]/.test(text)) return text;
  return escapeHelp(text).replaceAll('"', '\\"');
}
