/** Ways to the API server from other places; they can be shut without touching the server. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class ApiDoors {
  readonly #port: number;
  readonly #doors: Server[] = [];
  readonly #passing = new Set<Socket>();
  #isShut = false;

  /** Of the API server on this machine's loopback. */
  constructor(port: number) {
    this.#port = port;
  }

  /** `listen` makes the door listen, wherever that is; it must not wait for anything. Resolves to the port. */
  async open(listen: (door: Server) => void): Promise<number> {
    const door = createServer((near) => this.#pass(near));
    listen(door);
    if (!door.listening) await once(door, 'listening');
    this.#doors.push(door);
    return (door.address() as AddressInfo).port;
  }

  get isShut(): boolean {
    return this.#isShut;
  }

  /** As if the server had crashed: connections are reset, and new ones too. */
  shut(): void {
    this.#isShut = true;
    for (const socket of this.#passing) socket.resetAndDestroy();
  }

  unlock(): void {
    this.#isShut = false;
  }

  close(): void {
    this.shut();
    for (const door of this.#doors) door.close();
  }

  #pass(near: Socket): void {
    if (this.#isShut) {
      near.resetAndDestroy();
      return;
    }
    const far = connect(this.#port, '127.0.0.1');
    this.#passing.add(near);
    const end = () => {
      this.#passing.delete(near);
      near.destroy();
      far.destroy();
    };
    near.setNoDelay(true).pipe(far.setNoDelay(true)).pipe(near);
    for (const side of [near, far]) side.on('error', end).on('close', end);
  }
}
