/** `npm run real-cluster -- --set-up`: fetches and builds what a real cluster takes, once. */

import { parseArgs } from 'node:util';
import { isSetUp, machineObstacle, setUp, setUpCommand } from './set-up.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { 'set-up': { type: 'boolean', default: false } } });
  if (values['set-up']) {
    const problems = await setUp(say);
    for (const problem of problems) say(problem);
    if (problems.length > 0) return 1;
  }
  const obstacle = machineObstacle() ?? (isSetUp() ? undefined : `not set up: ${setUpCommand}`);
  say(obstacle ?? 'All there: npm start -- --cluster runs on it, and npm test includes it.');
  return obstacle === undefined ? 0 : 1;
}

process.exitCode = await main();
