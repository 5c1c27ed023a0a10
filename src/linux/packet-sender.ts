import type { SendOutcome } from '../model/send-outcome.ts';
import * as libc from './libc.ts';
import { packetAddress } from './packet-address.ts';
import { sendFailureOf } from './send-failure.ts';

/** Enough for some ten thousand short frames in flight: a link that stands still does not stop the others. */
const sendBufferBytes = 4 << 20;

/** Puts whole frames on links: one socket for all of them, opened when needed, which never receives (protocol 0). */
export class PacketSender {
  #fd: number | undefined;

  send(linkIndex: number, frame: Uint8Array): SendOutcome {
    const fd = this.#fd ?? openOrErrno();
    if (fd < 0) return sendFailureOf(-fd);
    this.#fd = fd;
    const address = packetAddress(linkIndex, 0);
    let result = libc.sendTo(fd, frame, address);
    while (result === -libc.errno.EINTR) result = libc.sendTo(fd, frame, address);
    return result < 0 ? sendFailureOf(-result) : { kind: 'sent' };
  }

  close(): void {
    if (this.#fd !== undefined) libc.close(this.#fd);
    this.#fd = undefined;
  }
}

function openOrErrno(): number {
  const fd = libc.openSocket(libc.AF_PACKET, libc.SOCK_RAW, 0);
  // Without CAP_NET_ADMIN the default size has to do.
  if (fd >= 0) libc.setSocketOption(fd, libc.SOL_SOCKET, libc.SO_SNDBUFFORCE, sendBufferBytes);
  return fd;
}
