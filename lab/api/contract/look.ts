/** Short words for what an answer says. */

import { isJsonObject, type Json, listAt, textAt } from '../json.ts';
import type { Answer } from './contract-client.ts';
import type { WatchEvent } from './watch-reader.ts';

/** What is found at a dotted path, such as `spec.ports.0.nodePort`. */
export function at(value: Json | undefined, path: string): Json | undefined {
  return path.split('.').reduce<Json | undefined>((current, part) => {
    if (Array.isArray(current)) return current[Number(part)];
    return isJsonObject(current) ? current[part] : undefined;
  }, value);
}

/** `201`, or `409 Conflict` with the reason of the Status. */
export function outcome({ status, body }: Answer): string {
  const reason = textAt(body, 'kind') === 'Status' ? textAt(body, 'reason') : '';
  return `${status} ${reason}`.trim();
}

/** Of a refusal: each field with its message. */
export function causes({ body }: Answer): readonly string[] {
  const found = listAt(body, 'details', 'causes');
  const lines = found.map((cause) => `${textAt(cause, 'field')}: ${textAt(cause, 'message')}`);
  // The real server sometimes finds the same fault twice.
  return [...new Set(lines)].sort();
}

export function message({ body }: Answer): string {
  return textAt(body, 'message');
}

export function nameOf(value: Json | undefined): string {
  return textAt(value, 'metadata', 'name');
}

export function versionOf({ body }: { readonly body: Json }): string {
  return textAt(body, 'metadata', 'resourceVersion');
}

export function namesOf({ body }: Answer): readonly string[] {
  return listAt(body, 'items').map(nameOf);
}

/** `ADDED a`, one line for each event. */
export function lines(events: readonly WatchEvent[]): readonly string[] {
  return events.map(({ type, object }) => `${type} ${nameOf(object)}`.trim());
}
