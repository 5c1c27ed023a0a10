/**
 * Runs in a pod: answers every request with who answers, on which node, and whose address it saw. `/unready` and
 * `/ready` change what `/healthz` says; with READY_AFTER_MS it says no at first, with IGNORE_SIGTERM it does not end.
 */

import { createServer, type IncomingMessage } from 'node:http';

const port = Number(process.argv[2]);
const {
  HOSTNAME: pod = '',
  NODE_NAME: node = '',
  READY_AFTER_MS = '0',
  IGNORE_SIGTERM,
} = process.env;
const plain = (address = '') => address.replace(/^::ffff:/, '');

let isReady = READY_AFTER_MS === '0';
if (!isReady) {
  setTimeout(() => {
    isReady = true;
  }, Number(READY_AFTER_MS));
}

function answer({ url = '/', socket }: IncomingMessage): { status: number; body: object } {
  if (url === '/ready' || url === '/unready') isReady = url === '/ready';
  if (url === '/healthz') return { status: isReady ? 200 : 503, body: { pod, isReady } };
  const { remoteAddress, remotePort, localAddress } = socket;
  return {
    status: 200,
    body: {
      pod,
      node,
      client: plain(remoteAddress),
      clientPort: remotePort,
      at: plain(localAddress),
    },
  };
}

const server = createServer((request, response) => {
  const { status, body } = answer(request);
  // The next request may then reach another pod.
  response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  response.end(`${JSON.stringify(body)}\n`);
  if (request.url !== '/healthz')
    process.stdout.write(
      `${request.method} ${request.url} from ${plain(request.socket.remoteAddress)}\n`,
    );
});
server.listen(port, '::', () => process.stdout.write(`listening on ${port}\n`));
process.on('SIGTERM', () => {
  process.stdout.write('stopping\n');
  if (IGNORE_SIGTERM !== undefined) return;
  server.close(() => process.exit(0));
});
