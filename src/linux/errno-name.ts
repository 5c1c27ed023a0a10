import { constants } from 'node:os';

/** Second names of numbers, which the kernel's own sources do not use. */
const aliases = new Set(['EWOULDBLOCK', 'ENOTSUP', 'EDEADLOCK']);

const names = new Map(
  Object.entries(constants.errno)
    .filter(([name]) => !aliases.has(name))
    .map(([name, number]) => [number, name]),
);

/** `EEXIST` for 17: what people search for. */
export function errnoName(errno: number): string {
  return names.get(errno) ?? `errno ${errno}`;
}
