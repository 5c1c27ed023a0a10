import { errno as numbers } from './libc.ts';

const names = new Map<number, string>(
  Object.entries(numbers).map(([name, number]) => [number, name]),
);

/** `EEXIST` for 17: what people search for. */
export function errnoName(errno: number): string {
  return names.get(errno) ?? `errno ${errno}`;
}
