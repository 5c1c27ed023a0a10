/** Names of links: `*` is any text, `?` any one character, `[a-c]` one of these. */
export function matchesGlob(glob: string, name: string): boolean {
  const literal = glob.split(/(\*|\?|\[[^\]]+\])/).map((part) => {
    if (part === '*') return '.*';
    if (part === '?') return '.';
    if (/^\[[^\]]+\]$/.test(part)) return toClass(part.slice(1, -1));
    return part.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  });
  return new RegExp(`^${literal.join('')}$`, 's').test(name);
}

/** A range from back to front means nothing, and matches nothing. */
function toClass(content: string): string {
  const isNegated = /^[!^]/.test(content);
  const members = (isNegated ? content.slice(1) : content).replace(/[\\\]^]/g, '\\$&');
  const source = `[${isNegated ? '^' : ''}${members}]`;
  try {
    return new RegExp(source).source;
  } catch {
    return '(?!)';
  }
}
