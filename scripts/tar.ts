/** Writes tar archives (POSIX.1-1988, ustar) in which nothing depends on when, where or by whom they are written. */

export type TarEntry = {
  /** Relative, without a leading or closing slash. */
  readonly path: string;
} & (
  | { readonly kind: 'file'; readonly content: Buffer; readonly mode?: number }
  | { readonly kind: 'folder'; readonly mode?: number }
  | { readonly kind: 'link'; readonly target: string }
);

const blockSize = 512;
const longestName = 100;

/** Sorted by path, all of root, of the beginning of time. */
export function writeTar(entries: readonly TarEntry[]): Buffer {
  const sorted = entries.toSorted((left, right) => (left.path < right.path ? -1 : 1));
  const parts = sorted.flatMap((entry) => {
    if (entry.kind !== 'file') return [header(entry)];
    const rest = entry.content.length % blockSize;
    return [header(entry), entry.content, Buffer.alloc(rest === 0 ? 0 : blockSize - rest)];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * blockSize)]);
}

/** The entries with all folders above them. */
export function withFolders(entries: readonly TarEntry[]): readonly TarEntry[] {
  const known = new Map<string, TarEntry>();
  for (const { path } of entries) {
    const parts = path.split('/');
    for (let depth = 1; depth < parts.length; depth++) {
      const above = parts.slice(0, depth).join('/');
      known.set(above, { path: above, kind: 'folder' });
    }
  }
  for (const entry of entries) known.set(entry.path, entry);
  return [...known.values()];
}

const types = { file: '0', link: '2', folder: '5' } as const;

function header(entry: TarEntry): Buffer {
  const block = Buffer.alloc(blockSize);
  const text = (value: string, offset: number, most: number) => {
    if (Buffer.byteLength(value) > most) throw new RangeError(`"${value}" does not fit a tar`);
    block.write(value, offset);
  };
  const octal = (value: number, offset: number, length: number) =>
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, offset);
  text(entry.kind === 'folder' ? `${entry.path}/` : entry.path, 0, longestName);
  octal(modeOf(entry), 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(entry.kind === 'file' ? entry.content.length : 0, 124, 12);
  octal(0, 136, 12);
  block.write(types[entry.kind], 156);
  if (entry.kind === 'link') text(entry.target, 157, longestName);
  block.write('ustar\x0000', 257, 'latin1');
  for (const offset of [265, 297]) block.write('root', offset);
  octal(0, 329, 8);
  octal(0, 337, 8);
  // The sum over the block with blanks where the sum goes.
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

function modeOf(entry: TarEntry): number {
  if (entry.kind === 'link') return 0o777;
  return entry.mode ?? (entry.kind === 'folder' ? 0o755 : 0o644);
}
