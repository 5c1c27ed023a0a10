/** Tries doors: which ports of which addresses answer a host. */

import type { Host } from '../../lab/network/host.ts';

export interface Door {
  readonly protocol: 'TCP' | 'UDP';
  readonly ip: string;
  readonly port: number;
  /** Bytes to send; more than a frame takes are sent as fragments (UDP). */
  readonly size?: number;
  /** The own address to ask from; the kernel's choice by default. */
  readonly from?: string;
}

export type Answer = 'answer' | 'silence' | 'refused';

const program = `
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
const [patienceMs, doors] = JSON.parse(process.argv[1]);
const nameOf = ({ code }) => (code === 'ECONNREFUSED' ? 'refused' : code);
const knock = ({ protocol, ip, port, size = 20, from }) =>
  new Promise((resolve) => {
    setTimeout(() => resolve('silence'), patienceMs);
    const done = () => resolve('answer');
    const fail = (error) => resolve(nameOf(error));
    const knocking = 'x'.repeat(size - 1) + '\\n';
    if (protocol === 'TCP') {
      const socket = connect({ port, host: ip, ...(from && { localAddress: from }) });
      socket.on('connect', () => socket.write(knocking)).on('data', done).on('error', fail);
    } else {
      const socket = createSocket(ip.includes(':') ? 'udp6' : 'udp4');
      // Not connected: who listens on all addresses may answer from another one.
      socket.on('message', done).on('error', fail).send(knocking, port, ip);
    }
  });
process.stdout.write(JSON.stringify(await Promise.all(doors.map(knock))), () => process.exit());
`;

/** All at once; what did not answer in `patienceMs` is silent. */
export async function knock(
  host: Host,
  doors: readonly Door[],
  patienceMs = 1000,
): Promise<readonly Answer[]> {
  const told = JSON.stringify([patienceMs, doors]);
  const argv = [process.execPath, '--input-type=module', '--eval', program, '--', told];
  return JSON.parse((await host.run(argv)).stdout) as readonly Answer[];
}
