/**
 * The only file that calls C. Thin bindings: buffers in, a count or a negative errno out, no protocol knowledge.
 * A wrong signature here corrupts memory instead of failing to compile: change it only together with a live test.
 */

import koffi from 'koffi';

// The executable itself: libc's symbols, and libuv's, which Node exports for add-ons.
const self = koffi.load(null);

const cSocket = self.func('int socket(int, int, int)');
const cBind = self.func('int bind(int, const uint8_t *, uint32_t)');
const cSetsockopt = self.func('int setsockopt(int, int, int, const uint8_t *, uint32_t)');
const cGetsockopt = self.func('int getsockopt(int, int, int, _Out_ uint8_t *, _Inout_ uint32_t *)');
const cSend = self.func('intptr_t send(int, const uint8_t *, size_t, int)');
const cSendto = self.func(
  'intptr_t sendto(int, const uint8_t *, size_t, int, const uint8_t *, uint32_t)',
);
const cRecv = self.func('intptr_t recv(int, _Out_ uint8_t *, size_t, int)');
const cRecvfrom = self.func(
  'intptr_t recvfrom(int, _Out_ uint8_t *, size_t, int, _Out_ uint8_t *, _Inout_ uint32_t *)',
);
const cIoctl = self.func('int ioctl(int, unsigned long, _Inout_ uint8_t *)');
const cClose = self.func('int close(int)');
const cClockGettime = self.func('int clock_gettime(int, _Out_ uint8_t *)');

const sockFprog = koffi.struct('sock_fprog', { len: 'uint16_t', filter: 'const uint8_t *' });
const cSetsockoptFilter = self.func('setsockopt', 'int', [
  'int',
  'int',
  'int',
  koffi.pointer(sockFprog),
  'uint32_t',
]);

export const AF_INET = 2;
export const AF_INET6 = 10;
export const AF_NETLINK = 16;
export const AF_PACKET = 17;

export const SOCK_DGRAM = 2;
export const SOCK_RAW = 3;
export const SOCK_NONBLOCK = 0o4000;
export const SOCK_CLOEXEC = 0o2000000;

export const SOL_SOCKET = 1;
export const SO_SNDBUF = 7;
export const SO_RCVBUF = 8;
export const SO_ATTACH_FILTER = 26;
export const SO_SNDBUFFORCE = 32;
export const SO_RCVBUFFORCE = 33;

export const SOL_PACKET = 263;
export const PACKET_STATISTICS = 6;
export const PACKET_IGNORE_OUTGOING = 23;

export const SIOCGSTAMPNS = 0x8907;
export const SIOCGIFNAME = 0x8910;
export const SIOCGIFFLAGS = 0x8913;

export const MSG_TRUNC = 0x20;

export const errno = {
  EPERM: 1,
  ENOENT: 2,
  ESRCH: 3,
  EINTR: 4,
  EIO: 5,
  ENXIO: 6,
  EBADF: 9,
  EAGAIN: 11,
  ENOMEM: 12,
  EACCES: 13,
  EFAULT: 14,
  EBUSY: 16,
  EEXIST: 17,
  ENODEV: 19,
  EINVAL: 22,
  ENFILE: 23,
  EMFILE: 24,
  ENOSPC: 28,
  ERANGE: 34,
  EBADMSG: 74,
  EMSGSIZE: 90,
  EPROTONOSUPPORT: 93,
  EOPNOTSUPP: 95,
  EAFNOSUPPORT: 97,
  EADDRINUSE: 98,
  EADDRNOTAVAIL: 99,
  ENETDOWN: 100,
  ENETUNREACH: 101,
  ENOBUFS: 105,
  EHOSTUNREACH: 113,
} as const;

function orErrno(result: number | bigint): number {
  const value = Number(result);
  return value < 0 ? -koffi.errno() : value;
}

export function openSocket(domain: number, type: number, protocol: number): number {
  return orErrno(cSocket(domain, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol));
}

export function bind(fd: number, address: Uint8Array): number {
  return orErrno(cBind(fd, address, address.length));
}

export function setSocketOption(fd: number, level: number, name: number, value: number): number {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setInt32(0, value, true);
  return orErrno(cSetsockopt(fd, level, name, bytes, bytes.length));
}

/** Fills `into`; the length of what the kernel had to say. */
export function getSocketOption(fd: number, level: number, name: number, into: Uint8Array): number {
  const length = [into.length];
  const result = orErrno(cGetsockopt(fd, level, name, into, length));
  return result < 0 ? result : (length[0] ?? 0);
}

/** `program` is a sequence of 8-byte classic BPF instructions (struct sock_filter). */
export function attachFilter(fd: number, program: Uint8Array): number {
  const fprog = { len: program.length / 8, filter: program };
  return orErrno(cSetsockoptFilter(fd, SOL_SOCKET, SO_ATTACH_FILTER, fprog, 16));
}

export function send(fd: number, bytes: Uint8Array): number {
  return orErrno(cSend(fd, bytes, bytes.length, 0));
}

/** To a socket address, from a socket that is connected to none. */
export function sendTo(fd: number, bytes: Uint8Array, address: Uint8Array): number {
  return orErrno(cSendto(fd, bytes, bytes.length, 0, address, address.length));
}

/** The datagram's true length, which is more than `into.length` if it was cut off. */
export function receive(fd: number, into: Uint8Array): number {
  return orErrno(cRecv(fd, into, into.length, MSG_TRUNC));
}

/** The same, and fills `address` with the sender's. */
export function receiveFrom(fd: number, into: Uint8Array, address: Uint8Array): number {
  return orErrno(cRecvfrom(fd, into, into.length, MSG_TRUNC, address, [address.length]));
}

export function ioctl(fd: number, request: number, argument: Uint8Array): number {
  return orErrno(cIoctl(fd, request, argument));
}

export function close(fd: number): number {
  return orErrno(cClose(fd));
}

const CLOCK_REALTIME = 0;
const CLOCK_BOOTTIME = 7;

/** Wall time in epoch milliseconds, with a fraction: comparable with the kernel's time stamps. */
export function realtimeMs(): number {
  return clockMs(CLOCK_REALTIME);
}

/** Milliseconds since the machine booted, those in which it was suspended included. */
export function boottimeMs(): number {
  return clockMs(CLOCK_BOOTTIME);
}

function clockMs(clock: number): number {
  const timespec = new Uint8Array(16);
  cClockGettime(clock, timespec);
  return timespecToMs(timespec);
}

/** struct timespec of a 64-bit kernel. */
export function timespecToMs(timespec: Uint8Array): number {
  const view = new DataView(timespec.buffer, timespec.byteOffset, 16);
  return Number(view.getBigInt64(0, true)) * 1000 + Number(view.getBigInt64(8, true)) / 1e6;
}

const UV_READABLE = 1;
const UV_POLL = 8;
koffi.proto('void PollCallback(void *handle, int status, int events)');
koffi.proto('void CloseCallback(void *handle)');
const uvDefaultLoop = self.func('void *uv_default_loop()');
const uvHandleSize = self.func('size_t uv_handle_size(int)');
const uvPollInit = self.func('int uv_poll_init(void *, void *, int)');
const uvPollStart = self.func('int uv_poll_start(void *, int, PollCallback *)');
const uvPollStop = self.func('int uv_poll_stop(void *)');
const uvClose = self.func('void uv_close(void *, CloseCallback *)');

interface Poll {
  readonly handle: unknown;
  readonly onReadable: () => void;
}

// By the handle's address, which is all that libuv hands back. Also keeps the memory alive until libuv lets go.
const polls = new Map<bigint, Poll>();

const pollCallback = koffi.register((handle: unknown, status: number) => {
  const poll = polls.get(koffi.address(handle));
  if (poll === undefined) return;
  // libuv stops a watcher on POLLERR, which an overflown netlink socket raises: without this it stays deaf.
  if (status < 0) uvPollStart(poll.handle, UV_READABLE, pollCallback);
  // Not called here: outside a Node callback scope no promise would continue and no exception be reported.
  setImmediate(poll.onReadable);
}, 'PollCallback *');

const closeCallback = koffi.register((handle: unknown) => {
  const address = koffi.address(handle);
  const poll = polls.get(address);
  polls.delete(address);
  if (poll !== undefined) koffi.free(poll.handle);
}, 'CloseCallback *');

/**
 * Calls back when `fd` has something to read, until the returned function is called; `fd` must stay open until
 * then. Level-triggered, on the main thread's event loop, without a thread of its own.
 */
export function onReadable(fd: number, listener: () => void): () => void {
  const handle = koffi.alloc('uint8_t', Number(uvHandleSize(UV_POLL)));
  let isStopped = false;
  const poll: Poll = {
    handle,
    onReadable: () => {
      if (!isStopped) listener();
    },
  };
  const failure = uvPollInit(uvDefaultLoop(), handle, fd);
  if (failure < 0) {
    koffi.free(handle);
    throw new Error(`uv_poll_init on descriptor ${fd} failed with ${failure}`);
  }
  polls.set(koffi.address(handle), poll);
  uvPollStart(handle, UV_READABLE, pollCallback);
  return () => {
    if (isStopped) return;
    isStopped = true;
    uvPollStop(handle);
    uvClose(handle, closeCallback);
  };
}
