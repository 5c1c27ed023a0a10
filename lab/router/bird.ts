/** BIRD 2 on a host. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../eventually.ts';
import type { Host } from '../network/host.ts';
import type { HostProcess } from '../process/host-process.ts';
import { nodesAsn, type Router, type RouterOptions, routerAsn, spreadByPorts } from './router.ts';

export class Bird implements Router {
  readonly host: Host;
  readonly #options: RouterOptions;
  readonly #folder = mkdtempSync(join(tmpdir(), 'purelb-bird-'));
  #process: HostProcess | undefined;

  static async start(options: RouterOptions): Promise<Bird> {
    const router = new Bird(options);
    await spreadByPorts(options.host);
    await router.start();
    return router;
  }

  private constructor(options: RouterOptions) {
    this.host = options.host;
    this.#options = options;
  }

  async start(): Promise<void> {
    const config = join(this.#folder, 'bird.conf');
    writeFileSync(config, renderBird(this.#options));
    const control = join(this.#folder, 'bird.ctl');
    this.#process = await this.host.start(['bird', '-f', '-c', config, '-s', control]);
    await eventually(() => this.show('show status'), { withinMs: 20_000, everyMs: 50 });
  }

  async kill(): Promise<void> {
    await this.#process?.kill();
    this.#process = undefined;
  }

  /** What the router itself says. */
  async show(command: string): Promise<string> {
    const control = join(this.#folder, 'bird.ctl');
    return (await this.host.run(['birdc', '-s', control, ...command.split(' ')])).stdout;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function renderBird(options: RouterOptions): string {
  const { host, nodes, asn = routerAsn, holdTime = 9, password, bfdMs, sends = [] } = options;
  const kernels = ['ipv4', 'ipv6'].map(
    (family) =>
      `protocol kernel { ${family} { import none; export where source != RTS_STATIC; }; merge paths yes limit 16; scan time 2; }`,
  );
  const statics = ['ipv4', 'ipv6'].map((family) => {
    const own = sends.filter((prefix) => prefix.includes(':') === (family === 'ipv6'));
    const routes = own.map((prefix) => `route ${prefix} blackhole;`);
    return `protocol static { ${family}; ${routes.join(' ')} }`;
  });
  const channel = 'import all; export where source = RTS_STATIC;';
  const sessions = nodes.map((network, index) =>
    [
      `protocol bgp nodes${index} {`,
      `  local as ${asn}; neighbor range ${network} as ${options.nodesAsn ?? nodesAsn};`,
      `  dynamic name "node${index}_"; hold time ${holdTime}; graceful restart on;`,
      // After an error it would refuse connections for a minute, and then for five.
      '  error wait time 1, 2; error forget time 1;',
      ...(password === undefined ? [] : [`  password "${password}";`]),
      ...(bfdMs === undefined ? [] : ['  bfd on;']),
      `  ipv4 { ${channel} next hop self; extended next hop on; }; ipv6 { ${channel} next hop self; };`,
      '}',
    ].join('\n'),
  );
  const bfd =
    bfdMs === undefined
      ? []
      : [`protocol bfd { interface "*" { interval ${bfdMs} ms; multiplier 3; }; }`];
  return [
    `router id ${host.ipv4};`,
    'protocol device {}',
    ...kernels,
    ...statics,
    ...bfd,
    ...sessions,
    '',
  ].join('\n');
}
