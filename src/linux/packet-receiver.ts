import type { Cancel, Clock } from '../runtime/clock.ts';
import { ByteWriter } from '../wire/byte-writer.ts';
import { arrivalTime } from './arrival-time.ts';
import * as libc from './libc.ts';
import { ETH_P_ALL, packetAddress } from './packet-address.ts';

export interface PacketListener {
  /** `bytes` is valid until this returns; `at` is when the kernel received it, on the monotonic clock. */
  onFrame(bytes: Uint8Array, at: number): void;
  /** The kernel had no room for so many frames since the last report. */
  onLost(count: number, at: number): void;
  onLinkDown(at: number): void;
  /** The receiver has closed itself. */
  onLinkGone(at: number): void;
}

export interface PacketReceiverOptions {
  readonly linkIndex: number;
  readonly filter: Uint8Array;
  readonly clock: Clock;
  readonly listener: PacketListener;
  /** Whether what arrives wakes the process, as it does by default; otherwise it waits for `drain`. */
  readonly isPolled?: boolean;
}

const receiveBufferBytes = 1 << 20;
/** The kernel doubles the size asked for; no frame counts for less than its bookkeeping (struct sk_buff and more). */
const mostQueuedFrames = Math.ceil((2 * receiveBufferBytes) / 512);
/** So that a flood leaves time for others; what remains is read in the next turn of the event loop. */
const framesPerTurn = 256;
/** The longest frame of a link, jumbo frames included. */
const longestFrame = 16 << 10;
const closeReadingsMs = 0.1;
const recheckMs = { first: 50, later: 1000 } as const;

/** Hears what passes the filter on one link, from a packet socket bound to it. */
export class PacketReceiver {
  readonly #fd: number;
  readonly #linkIndex: number;
  readonly #clock: Clock;
  readonly #listener: PacketListener;
  readonly #stopPolling: () => void;
  readonly #frame = new Uint8Array(longestFrame);
  readonly #timespec = new Uint8Array(16);
  readonly #statistics = new Uint8Array(8);
  #isClosed = false;
  #cancelRecheck: Cancel | undefined;
  /** When the socket was last seen empty: no frame read later can have arrived before. */
  #emptyAt: number;

  /** The receiver, or the errno that kept it from opening. */
  static open(options: PacketReceiverOptions): PacketReceiver | number {
    const fd = openFiltered(options.linkIndex, options.filter);
    return fd < 0 ? -fd : new PacketReceiver(fd, options);
  }

  private constructor(
    fd: number,
    { linkIndex, clock, listener, isPolled = true }: PacketReceiverOptions,
  ) {
    this.#fd = fd;
    this.#linkIndex = linkIndex;
    this.#clock = clock;
    this.#listener = listener;
    this.#emptyAt = clock.monotonic();
    const read = () => this.#read(framesPerTurn);
    this.#stopPolling = isPolled ? libc.onReadable(fd, read) : () => {};
  }

  /** Hands over everything that has arrived by now before it returns. */
  drain(): void {
    this.#read(mostQueuedFrames);
  }

  /** Takes 8 to 20 ms: the kernel waits until no processor can be delivering to the socket any more. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelRecheck?.();
    this.#stopPolling();
    libc.close(this.#fd);
  }

  #read(limit: number): void {
    for (let count = 0; count < limit && !this.#isClosed; count++) {
      const before = this.#clock.monotonic();
      const length = libc.receive(this.#fd, this.#frame);
      if (length >= 0) {
        this.#listener.onFrame(this.#frame.subarray(0, length), this.#arrivalTime());
      } else if (length === -libc.errno.EAGAIN) {
        this.#emptyAt = before;
        break;
      } else {
        this.#handleError(-length);
      }
    }
    if (!this.#isClosed) this.#reportLost();
  }

  #arrivalTime(): number {
    const hasStamp = libc.ioctl(this.#fd, libc.SIOCGSTAMPNS, this.#timespec) === 0;
    if (!hasStamp) return this.#clock.monotonic();
    const { now, realtime } = this.#readClocks();
    const age = realtime - libc.timespecToMs(this.#timespec);
    return arrivalTime({ now, age, emptyAt: this.#emptyAt });
  }

  /** Both at once, as far as that is possible: who is kept waiting between the two readings tries again. */
  #readClocks(): { readonly now: number; readonly realtime: number } {
    for (let tries = 0; ; tries++) {
      const now = this.#clock.monotonic();
      const realtime = libc.realtimeMs();
      const isClose = this.#clock.monotonic() - now <= closeReadingsMs;
      if (isClose || tries === 3) return { now, realtime };
    }
  }

  #handleError(errno: number): void {
    const at = this.#clock.monotonic();
    if (errno === libc.errno.ENETDOWN) {
      this.#listener.onLinkDown(at);
      this.#checkLink(recheckMs.first);
    } else if (errno !== libc.errno.EINTR) {
      // Whatever it was, a frame may be missing.
      this.#listener.onLost(1, at);
    }
  }

  /** A link that goes down and is then deleted wakes the socket for the first only, so look again until it is up. */
  #checkLink(nextMs: number): void {
    this.#cancelRecheck?.();
    if (this.#isClosed) return;
    const state = readLinkState(this.#fd, this.#linkIndex);
    if (state === 'down') {
      const again = () => this.#checkLink(recheckMs.later);
      this.#cancelRecheck = this.#clock.after(nextMs, again);
    } else if (state === 'gone') {
      this.close();
      this.#listener.onLinkGone(this.#clock.monotonic());
    }
  }

  #reportLost(): void {
    const { SOL_PACKET, PACKET_STATISTICS } = libc;
    const length = libc.getSocketOption(this.#fd, SOL_PACKET, PACKET_STATISTICS, this.#statistics);
    // struct tpacket_stats: all frames, then those dropped; the kernel starts anew at each reading.
    const dropped = length < 8 ? 0 : new DataView(this.#statistics.buffer).getUint32(4, true);
    if (dropped > 0) this.#listener.onLost(dropped, this.#clock.monotonic());
  }
}

/** Bound last: a socket that is bound before it has its filter lets other frames slip in. */
function openFiltered(linkIndex: number, filter: Uint8Array): number {
  const fd = libc.openSocket(libc.AF_PACKET, libc.SOCK_RAW, 0);
  if (fd < 0) return fd;
  const failure = attachFilter(fd, filter) || libc.bind(fd, packetAddress(linkIndex, ETH_P_ALL));
  if (failure === 0) return fd;
  libc.close(fd);
  return failure;
}

function attachFilter(fd: number, filter: Uint8Array): number {
  const { SOL_SOCKET, SO_RCVBUF, SO_RCVBUFFORCE, SOL_PACKET, PACKET_IGNORE_OUTGOING } = libc;
  if (libc.setSocketOption(fd, SOL_SOCKET, SO_RCVBUFFORCE, receiveBufferBytes) < 0) {
    libc.setSocketOption(fd, SOL_SOCKET, SO_RCVBUF, receiveBufferBytes);
  }
  // Kernels before 4.20 do not know it: the filter drops our own frames as well.
  libc.setSocketOption(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1);
  // There is no stamp yet; asking for one makes the kernel stamp frames from now on.
  libc.ioctl(fd, libc.SIOCGSTAMPNS, new Uint8Array(16));
  return libc.attachFilter(fd, filter);
}

const IFF_UP = 1;

/** By its name and flags (struct ifreq); a packet socket never says by itself that its link is gone. */
function readLinkState(fd: number, linkIndex: number): 'up' | 'down' | 'gone' {
  const request = new ByteWriter(40).zeros(16).u32le(linkIndex).zeros(20).finish();
  if (libc.ioctl(fd, libc.SIOCGIFNAME, request) < 0) return 'gone';
  if (libc.ioctl(fd, libc.SIOCGIFFLAGS, request) < 0) return 'gone';
  return ((request[16] ?? 0) & IFF_UP) === 0 ? 'down' : 'up';
}
