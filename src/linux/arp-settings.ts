/** How the kernel answers ARP on a link: of the setting for all links and the link's own, the higher one counts. */

import { readFileSync } from 'node:fs';

export interface ArpSettings {
  /** 0: it answers for addresses of the node's other links too. */
  readonly ignore: number;
  /** Below 2: its own questions may come from an address of another link. */
  readonly announce: number;
}

const settings = '/proc/sys/net/ipv4/conf';

/** Undefined: the link is gone, or the settings cannot be read. */
export function readArpSettings(link: string, folder = settings): ArpSettings | undefined {
  const read = (name: string) => Math.max(...['all', link].map((of) => readOne(folder, of, name)));
  try {
    return { ignore: read('arp_ignore'), announce: read('arp_announce') };
  } catch {
    return undefined;
  }
}

function readOne(folder: string, of: string, name: string): number {
  return Number(readFileSync(`${folder}/${of}/${name}`, 'utf8'));
}
