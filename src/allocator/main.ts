/** `node src/allocator/main.ts --help` */

import { runProgram } from '../program/run-program.ts';
import { readOptions, stateSocket, usage } from './allocator-options.ts';
import { startProgram } from './allocator-program.ts';

runProgram({
  name: 'allocator',
  usage,
  stateSocket,
  readOptions,
  describe: ({ isDefaultAnnouncer }) => ({ isDefaultAnnouncer }),
  start: startProgram,
});
