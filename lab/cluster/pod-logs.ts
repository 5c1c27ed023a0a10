/** Logs of pods for the API server, asked from the kubelets that run them. */

import { request } from 'node:http';
import type { ChunkSink } from '../api/api-request.ts';
import type { PodLogs, PodLogWish } from '../api/subresources/pod-logs.ts';

/** `socketOf` tells where the kubelet of a node listens. */
export function podLogs(socketOf: (node: string) => string): PodLogs {
  return (wish) => (sink) => {
    const asked = request({ socketPath: socketOf(wish.node), path: pathOf(wish) });
    const room = { bytes: wish.limitBytes ?? Number.POSITIVE_INFINITY };
    asked.on('response', (response) => {
      response.setEncoding('utf8');
      response.on('data', (text: string) => writeWithin(room, text, sink));
      response.on('end', () => sink.end()).on('error', () => sink.end());
    });
    asked.on('error', () => {
      sink.write(`the kubelet of ${wish.node} does not answer\n`);
      sink.end();
    });
    asked.end();
    return () => asked.destroy();
  };
}

function writeWithin(room: { bytes: number }, text: string, sink: ChunkSink): void {
  const fitting = text.slice(0, room.bytes);
  room.bytes -= fitting.length;
  if (fitting !== '') sink.write(fitting);
}

function pathOf(wish: PodLogWish): string {
  const names = [wish.namespace, wish.pod, wish.container].map(encodeURIComponent);
  const query = new URLSearchParams({
    follow: String(wish.isFollowed),
    previous: String(wish.isPrevious),
    timestamps: String(wish.hasTimestamps),
    ...(wish.tailLines === undefined ? {} : { tailLines: String(wish.tailLines) }),
    ...(wish.since === undefined ? {} : { sinceMs: String(wish.since) }),
  });
  return `/containerLogs/${names.join('/')}?${query}`;
}
