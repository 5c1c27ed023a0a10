/** BIRD 2 on a host. */

import { writeFileSync } from 'node:fs';
import { nodesAsn, type RouterOptions, routerAsn } from './router.ts';
import { RouterPrograms } from './router-programs.ts';

export class Bird extends RouterPrograms {
  static async start(options: RouterOptions): Promise<Bird> {
    return Bird.open(new Bird(options, 'bird'));
  }

  async start(): Promise<void> {
    const config = this.path('bird.conf');
    writeFileSync(config, renderBird(this.options));
    const argv = ['bird', '-f', '-c', config, '-s', this.path('bird.ctl')];
    await this.launch(argv, () => this.show('show status'));
  }

  async show(command: string): Promise<string> {
    const argv = ['birdc', '-s', this.path('bird.ctl'), ...command.split(' ')];
    return (await this.host.run(argv)).stdout;
  }

  async neighbours(): Promise<readonly string[]> {
    return readBirdNeighbours(await this.show('show protocols all'));
  }
}

/** Of the sessions that are up. A session's own line starts at the margin, what is known of it is indented. */
export function readBirdNeighbours(text: string): readonly string[] {
  const blocks = text.split(/\n(?=\S)/);
  return blocks
    .filter((block) => /^\S+ +BGP .*Established/.test(block))
    .flatMap((block) => /Neighbor address: (\S+)/.exec(block)?.[1] ?? []);
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
