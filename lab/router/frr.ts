/** FRR on a host: zebra, bgpd and, for BFD, bfdd, each in the foreground with files of its own. */

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../process/run.ts';
import { isUserMapped } from '../sandbox.ts';
import { renderFrr } from './render-frr.ts';
import type { RouterOptions } from './router.ts';
import { RouterPrograms } from './router-programs.ts';

const programs = '/usr/lib/frr';
/** RTPROT_BGP of linux/rtnetlink.h: not every iproute2 knows the name. */
const bgpMark = '186';

export function frrObstacle(): string | false {
  if (!existsSync(join(programs, 'bgpd'))) return 'missing FRR (Debian package frr)';
  return isUserMapped() ? 'FRR changes its user: it needs a sandbox made by root' : false;
}

export class Frr extends RouterPrograms {
  static async start(options: RouterOptions): Promise<Frr> {
    return Frr.open(new Frr(options, 'frr'));
  }

  async start(): Promise<void> {
    await this.#forget();
    const config = this.path('frr.conf');
    writeFileSync(config, renderFrr(this.options));
    // Its programs become this user, and insist on it.
    await run(['chown', '-R', 'frr:frr', this.path()]);
    const names = ['zebra', ...(this.options.bfdMs === undefined ? [] : ['bfdd']), 'bgpd'];
    for (const name of names) {
      const own = name === 'bfdd' ? ['--bfdctl', this.path('bfdd.sock')] : [];
      const argv = [join(programs, name), '--config_file', config, ...own];
      argv.push('--socket', this.path('zserv.api'), '--vty_socket', this.path());
      argv.push('--pid_file', this.path(`${name}.pid`), '--vty_port', '0');
      await this.launch(argv, () => this.#show(name, 'show version'));
    }
  }

  async show(command: string): Promise<string> {
    return this.#show('bgpd', command);
  }

  async neighbours(): Promise<readonly string[]> {
    return readFrrNeighbours(await this.show('show bgp summary json'));
  }

  async reset(): Promise<void> {
    await this.show('clear bgp *');
  }

  async configure(...lines: readonly string[]): Promise<void> {
    const commands = ['configure terminal', ...lines].flatMap((line) => ['-c', line]);
    await this.host.run(['vtysh', '--vty_socket', this.path(), '-d', 'bgpd', ...commands]);
  }

  /** A router that boots has no routes; zebra alone may keep those of the one that was killed. */
  async #forget(): Promise<void> {
    for (const argv of [
      // First: a route goes with its next hops, and one that uses them cannot be flushed.
      ['ip', 'nexthop', 'flush'],
      ['ip', '-4', 'route', 'flush', 'proto', bgpMark],
      ['ip', '-6', 'route', 'flush', 'proto', bgpMark],
    ]) {
      await this.host.run(argv);
    }
  }

  async #show(daemon: string, command: string): Promise<string> {
    const argv = ['vtysh', '--vty_socket', this.path(), '-d', daemon, '-c', command];
    return (await this.host.run(argv)).stdout;
  }
}

/** Of the sessions that are up, whatever families they carry. */
export function readFrrNeighbours(json: string): readonly string[] {
  const families = JSON.parse(json) as Readonly<Record<string, FrrSummary>>;
  const up = Object.values(families).flatMap(({ peers = {} }) =>
    Object.entries(peers).filter(([, { state }]) => state === 'Established'),
  );
  return [...new Set(up.map(([address]) => address))];
}

interface FrrSummary {
  readonly peers?: Readonly<Record<string, { readonly state: string }>>;
}
