/** BIRD 2 on a host. */

import { writeFileSync } from 'node:fs';
import { renderBird } from './render-bird.ts';
import type { RouterOptions } from './router.ts';
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

  async reset(): Promise<void> {
    await this.show('restart "l*"');
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
