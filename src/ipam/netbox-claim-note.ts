/** Lines that PureLB adds to the comments of a record that people had reserved, and takes off again. */

/** A record with such a line, or description, was there before us. */
export const claimEnd = ' (was reserved)';
const start = 'purelb ';
const keptStart = 'purelb keeps the description: ';

/** `text` names the Service; `kept`: a description that has to make way meanwhile. */
export function addClaimNote(comments: string, text: string, kept = ''): string {
  const lines = [dropClaimNotes(comments), `${text}${claimEnd}`];
  if (kept !== '') lines.push(`${keptStart}${kept}`);
  return lines.filter((line) => line !== '').join('\n');
}

export function dropClaimNotes(comments: string): string {
  const lines = comments.split('\n');
  return lines.filter((line) => !isNote(line) && !line.startsWith(keptStart)).join('\n');
}

export function findClaimNote(comments: string): string | undefined {
  return comments.split('\n').map(trim).find(isNote);
}

export function findKeptDescription(comments: string): string | undefined {
  const line = comments
    .split('\n')
    .map(trim)
    .find((each) => each.startsWith(keptStart));
  return line?.slice(keptStart.length);
}

/** The web pages end lines with a carriage return. */
function trim(line: string): string {
  return line.replace(/\r$/, '');
}

function isNote(line: string): boolean {
  return line.startsWith(start) && trim(line).endsWith(claimEnd);
}
