import { connect, createServer, type Server, type Socket } from 'node:net';
import { inNamespace } from '../../lab/in-namespace.ts';
import type { Host } from '../../lab/network/host.ts';

export const doorPort = 6443;

/** The API server on the hosts' own loopback: whatever happens to their network, it is there. */
export class ApiDoors {
  readonly #port: number;
  readonly #doors: Server[] = [];
  readonly #passing = new Set<Socket>();
  #isAway = false;

  /** `url` is the server's, on the loopback of this process. */
  constructor(url: string) {
    this.#port = Number(new URL(url).port);
  }

  open(host: Host): void {
    const door = createServer((near) => this.#pass(near));
    inNamespace(host.namespace, () => door.listen(doorPort));
    this.#doors.push(door);
  }

  /** While it is away connections are reset and new ones refused. */
  cut(isAway: boolean): void {
    this.#isAway = isAway;
    if (isAway) for (const socket of this.#passing) socket.resetAndDestroy();
  }

  close(): void {
    for (const door of this.#doors) door.close();
  }

  #pass(near: Socket): void {
    if (this.#isAway) {
      near.resetAndDestroy();
      return;
    }
    this.#passing.add(near);
    const far = connect(this.#port, '127.0.0.1');
    near.setNoDelay(true).pipe(far.setNoDelay(true)).pipe(near);
    const end = () => {
      this.#passing.delete(near);
      near.destroy();
      far.destroy();
    };
    near.on('error', end).on('close', end);
    far.on('error', end).on('close', end);
  }
}
