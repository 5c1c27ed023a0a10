/**
 * The canned API server of the kube bench, a process of its own: lists, streams and watches of Services over TLS.
 * Nothing is computed for a client that the other would not get. With `storm`, its watches break in every way.
 */

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { makeAuthority } from '../lab/control-plane/pki.ts';
import { firstVersion, type ServiceText, serviceOfChange, serviceText } from './kube-objects.ts';

const [caFile = '', serviceCount = '0', mode = 'calm'] = process.argv.slice(2);
const services: readonly ServiceText[] = Array.from({ length: Number(serviceCount) }, (_, index) =>
  serviceText(index),
);
/** Changes that were made so far; the version is the first one plus this. */
let changes = 0;
let wake: (() => void)[] = [];
/** A small generator, so that a storm can be repeated. */
let seed = 42;
const chance = () => {
  seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
  return seed / 2_147_483_648;
};

/** The last change of each Service, at a given time, is known by arithmetic only for the newest state. */
const revisions = new Int32Array(services.length);

function render(index: number, version: number, revision: number): string {
  const { head, middle, tail } = services[index] ?? { head: '', middle: '', tail: '' };
  return `${head}${version}${middle}${revision}${tail}`;
}

function renderCurrent(index: number): string {
  const revision = revisions[index] ?? 0;
  return render(index, firstVersion + revision, revision);
}

function renderEvent(change: number): string {
  const index = serviceOfChange(change, services.length);
  return `{"type":"MODIFIED","object":${render(index, firstVersion + change, change)}}\n`;
}

async function list(query: URLSearchParams, response: ServerResponse): Promise<void> {
  const [version, start] = (query.get('continue') ?? `${firstVersion + changes}:0`).split(':');
  const end = Math.min(services.length, Number(start) + Number(query.get('limit') ?? Infinity));
  const next = end < services.length ? `,"continue":"${version}:${end}"` : '';
  await write(
    response,
    `{"kind":"ServiceList","apiVersion":"v1","metadata":{"resourceVersion":"${version}"${next}},"items":[`,
  );
  for (let index = Number(start); index < end; index += 1) {
    await write(response, (index === Number(start) ? '' : ',') + renderCurrent(index));
  }
  response.end(']}');
}

/** Waits for the client when it is slower than we are. */
function write(response: ServerResponse, text: string): Promise<void> | void {
  if (text === '' || response.write(text)) return;
  return new Promise((resolve) => {
    const proceed = () => {
      response.off('drain', proceed).off('close', proceed);
      resolve();
    };
    response.on('drain', proceed).on('close', proceed);
  });
}

async function watch(query: URLSearchParams, response: ServerResponse): Promise<void> {
  response.flushHeaders();
  const isStream = query.get('sendInitialEvents') === 'true';
  const sent = isStream ? changes : Number(query.get('resourceVersion')) - firstVersion;
  if (isStream) await sendState(response, sent);
  await follow(response, sent);
}

async function sendState(response: ServerResponse, sent: number): Promise<void> {
  for (let index = 0; index < services.length; index += 1) {
    await write(response, `{"type":"ADDED","object":${renderCurrent(index)}}\n`);
  }
  const annotations = '"annotations":{"k8s.io/initial-events-end":"true"}';
  const metadata = `{"resourceVersion":"${firstVersion + sent}",${annotations}}`;
  const object = `{"kind":"Service","apiVersion":"v1","metadata":${metadata}}`;
  await write(response, `{"type":"BOOKMARK","object":${object}}\n`);
}

async function follow(response: ServerResponse, from: number): Promise<void> {
  const breaksAfter = mode === 'storm' ? from + 20 + Math.floor(chance() * 600) : Infinity;
  let sent = from;
  while (!response.destroyed) {
    const until = Math.min(changes, sent + 16, breaksAfter);
    let text = '';
    while (sent < until) text += renderEvent(++sent);
    await write(response, text);
    if (sent >= breaksAfter) return breakOff(response, sent);
    if (sent >= changes) await new Promise<void>((resolve) => wake.push(resolve));
  }
}

/** Every way to end a watch that the client must survive. */
async function breakOff(response: ServerResponse, sent: number): Promise<void> {
  const error = (code: number) =>
    `{"type":"ERROR","object":{"kind":"Status","code":${code},"reason":"${code === 410 ? 'Expired' : 'InternalError'}"}}\n`;
  const ways: readonly (() => unknown)[] = [
    () => response.end(),
    () => response.end(),
    () => response.destroy(),
    () => response.write(renderEvent(sent + 1).slice(0, 700), () => response.destroy()),
    () => response.end(renderEvent(sent + 1).slice(0, 700)),
    () => response.end('<html>proxy error</html>\n'),
    () => response.write(error(500)),
    () => response.write(error(410)),
    () => {},
  ];
  ways[Math.floor(chance() * ways.length)]?.();
  if (!response.destroyed) await once(response, 'close');
}

function refuse(response: ServerResponse): boolean {
  if (mode !== 'storm' || chance() < 0.7) return false;
  const status = [429, 500, 503, 401][Math.floor(chance() * 4)] ?? 500;
  response.writeHead(status, { 'retry-after': '1' });
  response.end(`{"kind":"Status","code":${status},"reason":"Storm"}`);
  return true;
}

/** Makes so many changes, all at once or, in a storm, spread over a while. */
async function emit(count: number): Promise<void> {
  const goal = changes + count;
  while (changes < goal) {
    const step = mode === 'storm' ? 50 : count;
    for (let round = 0; round < step && changes < goal; round += 1) {
      changes += 1;
      revisions[serviceOfChange(changes, services.length)] = changes;
    }
    const sleepers = wake;
    wake = [];
    for (const resume of sleepers) resume();
    await new Promise((resolve) => setTimeout(resolve, mode === 'storm' ? 10 : 0));
  }
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'https://bench');
  if (pathname.startsWith('/emit/')) {
    await emit(Number(pathname.slice('/emit/'.length)));
    response.end('{}');
    return;
  }
  response.setHeader('content-type', 'application/json');
  if (refuse(response)) return;
  await (searchParams.get('watch') === 'true' ? watch : list)(searchParams, response);
}

const authority = makeAuthority('bench');
writeFileSync(caFile, authority.ca);
const server = createServer(authority.issue({ commonName: 'api', hosts: ['127.0.0.1'] }));
server.on('request', (request, response) => {
  handle(request, response).catch(() => response.destroy());
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
});
process.stdin.on('end', () => process.exit(0)).resume();
