/** Warns once for each link on which the kernel answers ARP in ways that mislead the network. */

import type { ArpSettings } from '../linux/arp-settings.ts';
import type { Log } from '../runtime/log.ts';

const advice =
  'set net.ipv4.conf.all.arp_ignore = 1 and net.ipv4.conf.all.arp_announce = 2 in a file below /etc/sysctl.d, and run sysctl --system';

export class ArpSettingsLog {
  readonly #log: Log;
  readonly #read: (link: string) => ArpSettings | undefined;
  readonly #seen = new Set<string>();

  constructor(log: Log, read: (link: string) => ArpSettings | undefined) {
    this.#log = log;
    this.#read = read;
  }

  /** The links that IPv4 addresses may be put on. */
  note(links: readonly string[]): void {
    for (const link of links) if (!this.#seen.has(link)) this.#noteOne(link);
    for (const link of this.#seen) if (!links.includes(link)) this.#seen.delete(link);
  }

  #noteOne(link: string): void {
    this.#seen.add(link);
    const settings = this.#read(link);
    if (settings === undefined || (settings.ignore > 0 && settings.announce > 1)) return;
    const { ignore: arpIgnore, announce: arpAnnounce } = settings;
    const fields = { op: 'arpSettings', link, arpIgnore, arpAnnounce, advice };
    this.#log.warn('This node may answer ARP for addresses on its other links', fields);
  }
}
