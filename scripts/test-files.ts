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

/** Live tests that talk to servers, and count neither packets nor milliseconds: they do not disturb each other. */
export function isPatient(path: string): boolean {
  return patient.some((folder) => path.startsWith(folder));
}

const patient = [
  'lab/api/',
  'lab/control-plane/',
  'src/kube/',
  'test/allocator/',
  'test/deploy',
  'test/kubectl/',
  'test/resources',
  'test/scenarios/bgp-links',
];

/** Tests of pure functions: they need nothing, not even a process of their own. */
export function mindTests(): readonly string[] {
  return find('{model,wire,decide,view}/**/*.test.ts').filter((path) => path.startsWith('src/'));
}

/** Tests of whole programs against the embedded API server: they run anywhere, but take their time. */
export function programTests(): readonly string[] {
  return find('*/**/*.test.ts').filter((path) => path.startsWith('test/') && !isLive(path));
}

/** Other tests that run anywhere. */
export function unitTests(): readonly string[] {
  const others = new Set([...mindTests(), ...programTests()]);
  return find('**/*.test.ts').filter((path) => !others.has(path) && !isLive(path));
}

function isLive(path: string): boolean {
  return path.endsWith('.live.test.ts');
}
