/** BIRD 2 on a node, in place of gobgpd: what is on `kube-lb0` goes to the router, and the agent has no part in it. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Host } from '../network/host.ts';
import type { HostProcess } from '../process/host-process.ts';
import { nodesAsn, routerAsn } from './router.ts';

export class BirdOnNode implements AsyncDisposable {
  readonly #folder: string;
  readonly #process: HostProcess;

  static async start(node: Host, router: Host): Promise<BirdOnNode> {
    const folder = mkdtempSync(join(tmpdir(), 'purelb-bird-node-'));
    const config = join(folder, 'bird.conf');
    writeFileSync(config, render(node, router));
    const argv = ['bird', '-f', '-c', config, '-s', join(folder, 'bird.ctl')];
    return new BirdOnNode(folder, await node.start(argv));
  }

  private constructor(folder: string, process: HostProcess) {
    this.#folder = folder;
    this.#process = process;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function render(node: Host, router: Host): string {
  const channel = 'import none; export where source = RTS_DEVICE; next hop self;';
  const session = (family: 'ipv4' | 'ipv6') => [
    `protocol bgp over_${family} {`,
    `  local ${node.address(family)} as ${nodesAsn}; neighbor ${router.address(family)} as ${routerAsn};`,
    `  hold time 9; connect retry time 1; error wait time 1, 2; ${family} { ${channel} };`,
    '}',
  ];
  return [
    `router id ${node.ipv4};`,
    'protocol device { scan time 1; }',
    'protocol direct { ipv4; ipv6; interface "kube-lb0"; }',
    ...session('ipv4'),
    ...session('ipv6'),
    '',
  ].join('\n');
}
