/** Asks a Service once and prints the answer as JSON, or a word for what came instead. */

import { createSocket } from 'node:dgram';
import { request } from 'node:http';
import { decodeAnswer, encodeRequest } from '../traffic/echo-packet.ts';

const [kind = '', host = '', port = ''] = process.argv.slice(2);
const patienceMs = 1500;

function finish(answer: unknown): void {
  process.stdout.write(JSON.stringify(answer), () => process.exit(0));
}

setTimeout(() => finish('silence'), patienceMs);
const fail = (error: NodeJS.ErrnoException) => finish(error.code ?? error.message);

function askWeb(): void {
  const asked = request({ host, port, agent: false });
  asked.on('error', fail).on('response', (response) => {
    let text = '';
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    response.on('end', () => finish(JSON.parse(text)));
  });
  asked.end();
}

function askEcho(): void {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  socket.on('error', fail).on('message', (answer) => finish(decodeAnswer(answer)?.responder));
  // Connected, so that a refusal is told.
  socket.connect(Number(port), host, () => socket.send(encodeRequest({ run: 1, number: 1 }, 32)));
}

if (kind === 'web') askWeb();
else askEcho();
