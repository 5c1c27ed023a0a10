/** FRR on a host: zebra, bgpd and, for BFD, bfdd, each in the foreground with files of its own. */

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../eventually.ts';
import type { Host } from '../network/host.ts';
import type { HostProcess } from '../process/host-process.ts';
import { run } from '../process/run.ts';
import { isUserMapped } from '../sandbox.ts';
import { nodesAsn, type Router, type RouterOptions, routerAsn, spreadByPorts } from './router.ts';

const programs = '/usr/lib/frr';
/** RTPROT_BGP of linux/rtnetlink.h: not every iproute2 knows the name. */
const bgpMark = '186';

export function frrObstacle(): string | false {
  if (!existsSync(join(programs, 'bgpd'))) return 'missing FRR (Debian package frr)';
  return isUserMapped() ? 'FRR changes its user: it needs a sandbox made by root' : false;
}

export class Frr implements Router {
  readonly host: Host;
  readonly #options: RouterOptions;
  readonly #folder = mkdtempSync(join(tmpdir(), 'purelb-frr-'));
  #processes: HostProcess[] = [];

  static async start(options: RouterOptions): Promise<Frr> {
    const router = new Frr(options);
    await spreadByPorts(options.host);
    await router.start();
    return router;
  }

  private constructor(options: RouterOptions) {
    this.host = options.host;
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#forget();
    const config = join(this.#folder, 'frr.conf');
    writeFileSync(config, renderFrr(this.#options));
    // Its programs become this user, and insist on it.
    await run(['chown', '-R', 'frr:frr', this.#folder]);
    const names = ['zebra', ...(this.#options.bfdMs === undefined ? [] : ['bfdd']), 'bgpd'];
    for (const name of names) {
      const own = name === 'bfdd' ? ['--bfdctl', join(this.#folder, 'bfdd.sock')] : [];
      const argv = [join(programs, name), '--config_file', config, ...own];
      argv.push('--socket', join(this.#folder, 'zserv.api'), '--vty_socket', this.#folder);
      argv.push('--pid_file', join(this.#folder, `${name}.pid`), '--vty_port', '0');
      this.#processes.push(await this.host.start(argv));
      await eventually(() => this.#show(name, 'show version'), { withinMs: 20_000, everyMs: 50 });
    }
  }

  async kill(): Promise<void> {
    await Promise.all(this.#processes.map((each) => each.kill()));
    this.#processes = [];
  }

  /** What the router itself says. */
  async show(command: string): Promise<string> {
    return this.#show('bgpd', command);
  }

  async configure(...lines: readonly string[]): Promise<void> {
    const commands = ['configure terminal', ...lines].flatMap((line) => ['-c', line]);
    await this.host.run(['vtysh', '--vty_socket', this.#folder, '-d', 'bgpd', ...commands]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
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
    const argv = ['vtysh', '--vty_socket', this.#folder, '-d', daemon, '-c', command];
    return (await this.host.run(argv)).stdout;
  }
}

function renderFrr(options: RouterOptions): string {
  const { host, nodes, asn = routerAsn, holdTime = 9, password, bfdMs, sends = [] } = options;
  const [ipv4, ipv6] = [sends.filter(isIpv4), sends.filter((each) => !isIpv4(each))];
  return [
    ...(bfdMs === undefined
      ? []
      : ['bfd', ' profile quick', `  transmit-interval ${bfdMs}`, `  receive-interval ${bfdMs}`]),
    `router bgp ${asn}`,
    ` bgp router-id ${host.ipv4}`,
    ' no bgp ebgp-requires-policy',
    ' no bgp network import-check',
    ` timers bgp ${Math.floor(holdTime / 3)} ${holdTime}`,
    ' neighbor NODES peer-group',
    ` neighbor NODES remote-as ${options.nodesAsn ?? nodesAsn}`,
    ...(password === undefined ? [] : [` neighbor NODES password ${password}`]),
    ...(bfdMs === undefined ? [] : [' neighbor NODES bfd profile quick']),
    ...nodes.map((network) => ` bgp listen range ${network} peer-group NODES`),
    ' address-family ipv4 unicast',
    '  maximum-paths 16',
    '  neighbor NODES soft-reconfiguration inbound',
    ...ipv4.map((prefix) => `  network ${prefix}`),
    ' exit-address-family',
    ' address-family ipv6 unicast',
    '  neighbor NODES activate',
    '  maximum-paths 16',
    ...ipv6.map((prefix) => `  network ${prefix}`),
    ' exit-address-family',
    '',
  ].join('\n');
}

const isIpv4 = (prefix: string) => !prefix.includes(':');
