/** The picture in a terminal, kept up to date, and keys that do things to the cluster. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type Action, keyHints, type MenuState, menuStart, pressKey, questionOf } from './menu.ts';
import { toSvg } from './picture.ts';
import { drawScreen } from './screen.ts';
import type { Session } from './session.ts';
import type { Line } from './styled-text.ts';
import { Terminal } from './terminal.ts';

/** In the folder that it was started in. */
const pictureFile = 'purelb-playground.svg';

export class LiveView {
  readonly #session: Session;
  readonly #terminal: Terminal;
  readonly #ended = Promise.withResolvers<void>();
  #menu: MenuState = menuStart;

  constructor(session: Session) {
    this.#session = session;
    this.#terminal = new Terminal(process.stdin, process.stdout);
  }

  /** Until someone quits or the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    using terminal = this.#terminal;
    terminal.listen(
      (key) => this.#press(key),
      () => this.#draw(),
    );
    terminal.open();
    const stop = this.#session.subscribe(() => this.#draw());
    signal.addEventListener('abort', () => this.#ended.resolve(), { once: true });
    this.#draw();
    await this.#ended.promise;
    stop();
  }

  #draw(): void {
    this.#terminal.draw(this.#lines);
  }

  get #lines(): readonly Line[] {
    const { facts, story, uptime } = this.#session;
    const question = questionOf(this.#menu, facts.nodes.length);
    const picture = { facts, story, uptime, keys: keyHints, question };
    return drawScreen(picture, this.#terminal.size);
  }

  #savePicture(): void {
    writeFileSync(pictureFile, toSvg(this.#lines));
    this.#session.say({ text: `The picture is in ${pictureFile}.`, style: 'accent' });
  }

  #press(key: string): void {
    const step = pressKey(this.#menu, key, this.#session.facts.nodes.length);
    this.#menu = step.state;
    this.#draw();
    if (step.action === undefined) return;
    if (step.action.kind === 'quit') this.#ended.resolve();
    else void this.#carryOut(step.action);
  }

  async #carryOut(action: Action): Promise<void> {
    const { experiments } = this.#session;
    const what = experiments.describe(action);
    if (what !== undefined) this.#session.say({ text: what, style: 'accent' });
    try {
      if (action.kind === 'shell') await this.#openShell(action.node);
      else if (action.kind === 'picture') this.#savePicture();
      else await experiments.carryOut(action);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      this.#session.say({ text: `That did not work: ${text}`, style: 'warn' });
    }
  }

  async #openShell(node: string): Promise<void> {
    const { argv, env } = this.#session.cluster.shell(node);
    const [command = 'bash', ...args] = argv;
    this.#terminal.close();
    process.stdout.write(`A shell on ${node}; kubectl works here too. \`exit\` leads back.\n`);
    const shell = spawn(command, args, { stdio: 'inherit', env: { ...process.env, ...env } });
    await once(shell, 'close');
    this.#terminal.open();
    this.#draw();
  }
}
