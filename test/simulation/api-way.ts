/** A node's way to the API server. While it is closed nothing gets through; what was said waits, as TCP lets it. */

import type { ApiRequest, ApiResponse, ChunkSink, ChunkStream } from '../../lab/api/api-request.ts';
import { type Clock, sleep } from '../../src/runtime/clock.ts';
import type { ApiExchange } from '../allocator/memory-transport.ts';

/** As TCP sends again what was lost, later each time: the way may have been open for seconds before it is found so. */
const firstRetryMs = 200;
const longestRetryMs = 10_000;

export interface ApiWaySetup {
  readonly api: ApiExchange;
  readonly clock: Clock;
  readonly isOpen: () => boolean;
}

export class ApiWay implements ApiExchange {
  readonly #setup: ApiWaySetup;

  constructor(setup: ApiWaySetup) {
    this.#setup = setup;
  }

  async exchange(request: ApiRequest): Promise<ApiResponse | 'reset'> {
    await this.#untilOpen();
    const answer = await this.#setup.api.exchange(request);
    await this.#untilOpen();
    if (answer === 'reset' || typeof answer.body === 'string') return answer;
    const { body } = answer;
    return { ...answer, body: (sink) => this.#follow(body, sink) };
  }

  /** In order, whatever waits. */
  #follow(body: ChunkStream, sink: ChunkSink): () => void {
    let last = Promise.resolve();
    let waiting = 0;
    const pass = (say: () => void) => {
      if (waiting === 0 && this.#setup.isOpen()) return say();
      waiting += 1;
      last = last.then(async () => {
        await this.#untilOpen();
        waiting -= 1;
        say();
      });
    };
    return body({
      write: (chunk) => pass(() => sink.write(chunk)),
      end: () => pass(() => sink.end()),
      destroy: () => pass(() => sink.destroy()),
    });
  }

  async #untilOpen(): Promise<void> {
    const { clock, isOpen } = this.#setup;
    for (let ms = firstRetryMs; !isOpen(); ms = Math.min(2 * ms, longestRetryMs)) {
      await sleep(clock, ms);
    }
  }
}
