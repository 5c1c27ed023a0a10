/**
 * kube-proxy with IPVS has every load balancer address on `kube-ipvs0` of every node. That link is down, and yet the
 * kernel answers ARP for what is on it, unless arp_ignore tells it not to.
 */

import type { Host } from './host.ts';

const link = 'kube-ipvs0';

const lengthOf = (ip: string) => (ip.includes(':') ? 128 : 32);

export class IpvsLinks implements AsyncDisposable {
  readonly #hosts: readonly Host[];

  static async add(hosts: readonly Host[], arpIgnore: number): Promise<IpvsLinks> {
    await Promise.all(
      hosts.map(async (host) => {
        await host.sysctl('net/ipv4/conf/all/arp_ignore', arpIgnore);
        const made = await host.attempt(['ip', 'link', 'add', link, 'type', 'dummy']);
        if (made.status !== 0) await host.run(['ip', 'link', 'add', link, 'type', 'ifb']);
      }),
    );
    return new IpvsLinks(hosts);
  }

  private constructor(hosts: readonly Host[]) {
    this.#hosts = hosts;
  }

  async fill(ips: readonly string[]): Promise<void> {
    for (const host of this.#hosts) {
      for (const ip of ips) {
        await host.run(['ip', 'address', 'add', `${ip}/${lengthOf(ip)}`, 'dev', link]);
      }
    }
  }

  /** Where an address is when these links alone have it. */
  places(ip: string): readonly string[] {
    return this.#hosts.map(({ name }) => `${name} ${link}/${lengthOf(ip)}`);
  }

  /** A host that is switched off has lost them already, and one that was has no such link any more. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const host of this.#hosts.filter(({ isOff }) => !isOff)) {
      await host.attempt(['ip', 'link', 'delete', link]);
      await host.sysctl('net/ipv4/conf/all/arp_ignore', 0);
    }
  }
}
