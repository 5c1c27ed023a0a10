import { hash } from 'node:crypto';

/** A short name that is another one for any other content. */
export function contentName(content: unknown): string {
  return hash('sha256', JSON.stringify(content)).slice(0, 12);
}
