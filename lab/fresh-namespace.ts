import koffi from 'koffi';
import { isInSandbox } from './sandbox.ts';

const CLONE_NEWNET = 0x40000000;

/**
 * Moves this process (its main thread, sockets opened and children started from now on) into a network namespace
 * of its own, empty but for `lo`, that vanishes with the process.
 */
export function enterFreshNamespace(): void {
  if (!isInSandbox()) throw new Error('run this inside the sandbox: npm run live -- FILE');
  const unshare = koffi.load(null).func('int unshare(int)');
  if (unshare(CLONE_NEWNET) !== 0) throw new Error(`unshare(CLONE_NEWNET): errno ${koffi.errno()}`);
}
