/** `node src/allocator/main.ts --help` */

import { runProgram } from '../program/run-program.ts';
import { readOptions, usage } from './allocator-options.ts';
import { startProgram } from './allocator-program.ts';

runProgram({
  name: 'allocator',
  usage,
  readOptions,
  describe: ({ isDefaultAnnouncer }) => ({ isDefaultAnnouncer }),
  start: startProgram,
});
