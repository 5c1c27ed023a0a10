/** Text in columns for people. */

export interface Column {
  readonly title: string;
  /** For figures. */
  readonly isRight?: boolean;
}

export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): string {
  const lines = [columns.map(({ title }) => title), ...rows];
  const widths = columns.map((_, index) =>
    Math.max(...lines.map((cells) => (cells[index] ?? '').length)),
  );
  const renderLine = (cells: readonly string[]) =>
    columns
      .map(({ isRight = false }, index) => {
        const cell = cells[index] ?? '';
        const width = widths[index] ?? 0;
        return isRight ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return lines.map((cells) => `${renderLine(cells)}\n`).join('');
}
