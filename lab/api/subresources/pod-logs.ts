/** What a kubelet knows and the API server only passes on: the output of a container. */

import type { ChunkStream } from '../api-request.ts';

export interface PodLogWish {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** The node that the pod is bound to. */
  readonly node: string;
  /** Stay and write what comes, until the container ends or the reader leaves. */
  readonly isFollowed: boolean;
  /** Of the run before the last restart. */
  readonly isPrevious: boolean;
  /** Each line begins with its time in RFC 3339. */
  readonly hasTimestamps: boolean;
  /** Only the last lines, or all. */
  readonly tailLines: number | undefined;
  /** Only lines from this time on, in epoch milliseconds. */
  readonly since: number | undefined;
  readonly limitBytes: number | undefined;
}

/**
 * Given to `startApi` by whoever runs the pods. A stream writes what it has and, unless followed, ends; what it returns
 * stops it. Text instead of a stream says why there is no log, as of a container that waits to start.
 */
export type PodLogs = (wish: PodLogWish) => ChunkStream | string;
