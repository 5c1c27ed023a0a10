/** Runs on a client host: asks each question once and prints who answered, in the order of the questions. */

import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import type { AskConfig, Question } from './ask.ts';
import { decodeAnswer, encodeRequest, headerBytes } from './echo-packet.ts';

const { questions, withinMs } = JSON.parse(process.argv[2] ?? '{}') as AskConfig;
const word = 'who';

type Done = (answer: string) => void;
const codeOf = ({ code, message }: NodeJS.ErrnoException) => code ?? message;

function overTcp({ to, port }: Question, done: Done): void {
  const socket = connect(port, to, () => socket.write(`${word}\n`));
  let text = '';
  socket.setEncoding('utf8').on('data', (more) => {
    text += more;
    if (text.endsWith('\n')) done(text.trimEnd().slice(word.length + 1));
  });
  socket.on('error', (error) => done(codeOf(error))).on('end', () => done('closed'));
}

function overUdp({ to, port }: Question, done: Done): void {
  // Connected, so that the kernel tells of a refusal.
  const socket = createSocket(to.includes(':') ? 'udp6' : 'udp4');
  socket.on('message', (bytes) => done(decodeAnswer(bytes)?.responder ?? 'nonsense'));
  socket.on('error', (error) => done(codeOf(error)));
  socket.connect(port, to, () => {
    socket.send(encodeRequest({ run: 1, number: 1 }, headerBytes));
  });
}

const answers = await Promise.all(
  questions.map(
    (question) =>
      new Promise<string>((resolve) => {
        setTimeout(() => resolve('silence'), withinMs);
        (question.protocol === 'TCP' ? overTcp : overUdp)(question, resolve);
      }),
  ),
);
process.stdout.write(JSON.stringify(answers), () => process.exit());
