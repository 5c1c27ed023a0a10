import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test } from 'node:test';
import { ApiDoors } from './api-doors.ts';

/** What comes back for a word: itself, or the code of an error. */
async function ask(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('hello'));
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''));
    socket.on('data', (text) => {
      resolve(String(text));
      socket.destroy();
    });
  });
}

test('a door that is shut resets who is in it and who comes, and leads on when unlocked', async () => {
  const server = createServer((socket) => socket.on('error', () => {}).pipe(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const doors = new ApiDoors((server.address() as AddressInfo).port);
  const port = await doors.open((door) => door.listen(0, '127.0.0.1'));
  assert.equal(await ask(port), 'hello');
  const inside = connect(port, '127.0.0.1', () => inside.write('hello'));
  await once(inside, 'data');
  const fate = new Promise((resolve) => {
    inside.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
  });
  doors.shut();
  assert.equal(await fate, 'ECONNRESET');
  assert.equal(await ask(port), 'ECONNRESET');
  doors.unlock();
  assert.equal(await ask(port), 'hello');
  doors.close();
  server.close();
});
