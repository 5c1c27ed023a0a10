/** `node src/agent/main.ts --help` */

import { runProgram } from '../program/run-program.ts';
import { readOptions, stateSocket, usage } from './agent-options.ts';
import { startProgram } from './agent-program.ts';

runProgram({
  name: 'agent',
  usage,
  stateSocket,
  readOptions,
  describe: ({ nodeName }) => ({ node: nodeName }),
  start: startProgram,
});
