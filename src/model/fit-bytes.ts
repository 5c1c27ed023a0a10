/** Texts within the API server's limits, which count bytes of UTF-8 and not characters. */

const ellipsis = '…';
const ellipsisBytes = 3;

/** Of a condition's message (metav1.Condition, 32 Ki). */
const messageBytes = 32_768;

/**
 * A message as the API server keeps it. It is fitted before it is compared with what is there: a text that is cut, or
 * whose half characters are replaced, only when it is written would look different for ever.
 */
export function fitMessage(text: string): string {
  return fitBytes(text, messageBytes);
}

/** At most so many bytes, cut between two characters, with an ellipsis where something is missing. */
export function fitBytes(text: string, most: number): string {
  // No character takes more than three bytes for each unit of its text.
  if (text.length * 3 <= most) return text.isWellFormed() ? text : text.toWellFormed();
  let bytes = 0;
  let end = 0;
  for (const character of text.toWellFormed()) {
    bytes += bytesOf(character);
    if (bytes > most) return `${text.toWellFormed().slice(0, end)}${ellipsis}`;
    if (bytes <= most - ellipsisBytes) end += character.length;
  }
  return text.toWellFormed();
}

function bytesOf(character: string): number {
  const point = character.codePointAt(0) ?? 0;
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point < 0x10000 ? 3 : 4;
}
