import { closeSync, openSync } from 'node:fs';
import koffi from 'koffi';

const CLONE_NEWNET = 0x40000000;

/**
 * Runs `action` with this thread inside another network namespace of `ip netns`. Sockets that it opens stay there for
 * good; so do children that it starts. It must not await: the whole main thread would be elsewhere meanwhile.
 */
export function inNamespace<T>(name: string, action: () => T): T {
  const home = openSync('/proc/thread-self/ns/net', 'r');
  const there = openSync(`/run/netns/${name}`, 'r');
  try {
    enter(there);
    try {
      return action();
    } finally {
      enter(home);
    }
  } finally {
    closeSync(home);
    closeSync(there);
  }
}

/**
 * Moves this process (its main thread, sockets opened and children started from now on) there, until the returned
 * function brings it back, as it must before the namespace can be taken down.
 */
export function enterNamespace(name: string): () => void {
  const home = openSync('/proc/thread-self/ns/net', 'r');
  const there = openSync(`/run/netns/${name}`, 'r');
  try {
    enter(there);
  } finally {
    closeSync(there);
  }
  return () => {
    enter(home);
    closeSync(home);
  };
}

function enter(fd: number): void {
  const setns = koffi.load(null).func('int setns(int, int)');
  if (setns(fd, CLONE_NEWNET) !== 0) throw new Error(`setns: errno ${koffi.errno()}`);
}
