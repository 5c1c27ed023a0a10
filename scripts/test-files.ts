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

/** Tests of pure functions: they need nothing, not even a process of their own. */
export function mindTests(): readonly string[] {
  return find('{model,wire,decide,view}/**/*.test.ts').filter((path) => path.startsWith('src/'));
}

/** Other tests that run anywhere. */
export function unitTests(): readonly string[] {
  const mind = new Set(mindTests());
  const all = find('**/*.test.ts').filter((path) => !path.endsWith('.live.test.ts'));
  return all.filter((path) => !mind.has(path));
}
