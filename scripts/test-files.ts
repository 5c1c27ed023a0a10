import { globSync } from 'node:fs';

const root = new URL('..', import.meta.url).pathname;

function find(pattern: string): readonly string[] {
  const found = globSync(`{src,lab,test,bench,scripts}/${pattern}`, { cwd: root });
  return found.filter((path) => !path.startsWith('test/fixtures/')).sort();
}

/** Tests that need a kernel, and therefore the sandbox. */
export function liveTests(): readonly string[] {
  return find('**/*.live.test.ts');
}

/** Tests that run anywhere, in milliseconds. */
export function unitTests(): readonly string[] {
  return find('**/*.test.ts').filter((path) => !path.endsWith('.live.test.ts'));
}
