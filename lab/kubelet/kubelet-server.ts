/** What others ask a kubelet, over a socket in the file system: that reaches it whatever its node's network does. */

import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { Kubelet } from './kubelet.ts';
import type { LogOptions } from './log-ring.ts';

/** A pod as `/pods` tells it. */
export interface RunningPod {
  readonly namespace: string;
  readonly name: string;
  readonly ips: readonly string[];
  /** Of the process that holds its network: `nsenter -t PID -n`. */
  readonly pid: number | undefined;
}

export async function serveKubelet(kubelet: Kubelet, path: string): Promise<void> {
  const server = createServer(({ url = '/' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://kubelet');
    const [, what, ...names] = pathname.split('/').map(decodeURIComponent);
    if (what === 'pods') respond(response, 200, JSON.stringify(podsOf(kubelet)));
    else if (what === 'containerLogs') sendLog(kubelet, names, searchParams, response);
    else respond(response, 404, 'not found\n');
  });
  server.listen(path);
  await once(server, 'listening');
}

function podsOf(kubelet: Kubelet): readonly RunningPod[] {
  return kubelet.pods.map(({ wish, ips, pid }) => {
    return { namespace: wish.namespace, name: wish.name, ips, pid };
  });
}

/** `/containerLogs/NAMESPACE/POD/CONTAINER?follow=true&tailLines=10&timestamps=true&sinceMs=…&previous=true` */
function sendLog(
  kubelet: Kubelet,
  [namespace = '', pod = '', name = '']: readonly string[],
  query: URLSearchParams,
  response: ServerResponse,
): void {
  const container = kubelet.find(namespace, pod)?.container(name);
  const isPrevious = query.get('previous') === 'true';
  const log = isPrevious ? container?.previousLog : container?.log;
  if (log === undefined) {
    const what = isPrevious ? `previous run of container "${name}"` : `container "${name}"`;
    respond(response, 404, `${what} of pod ${namespace}/${pod} is not on this node\n`);
    return;
  }
  const options = readOptions(query);
  const onLine = (line: string) => response.write(`${line}\n`);
  const onEnd = () => response.end();
  response.writeHead(200, { 'content-type': 'text/plain' });
  for (const line of log.read(options)) onLine(line);
  if (query.get('follow') !== 'true') onEnd();
  else response.on('close', log.follow({ options, onLine, onEnd }));
}

function readOptions(query: URLSearchParams): LogOptions {
  const tail = query.get('tailLines');
  const since = query.get('sinceMs');
  return {
    timestamps: query.get('timestamps') === 'true',
    ...(tail === null ? {} : { tailLines: Number(tail) }),
    ...(since === null ? {} : { sinceMs: Number(since) }),
  };
}

function respond(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status).end(body);
}
