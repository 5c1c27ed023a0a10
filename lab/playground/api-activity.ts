/** What PureLB's programs ask of the API server, by kind, from the server's own counts. */

import type { Tally } from './rates.ts';

const writing = new Set(['create', 'update', 'patch', 'delete']);

/** Renewals of Leases apart: they go on while nothing happens. */
export function tallyRequests(counts: Readonly<Record<string, number>>): Tally {
  const tally = { renewals: 0, writes: 0, reads: 0 };
  for (const [key, count] of Object.entries(counts)) {
    const [user = '', verb = '', resource = ''] = key.split(' ');
    if (!user.includes('purelb-system')) continue;
    if (!writing.has(verb)) tally.reads += count;
    else if (resource.startsWith('leases')) tally.renewals += count;
    else tally.writes += count;
  }
  return tally;
}
