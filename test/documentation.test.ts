import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { rooms } from './house-rules.ts';

const root = new URL('..', import.meta.url).pathname;
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pages = globSync('{*.md,{docs,lab,src,deploy,test,bench}/**/*.md}', { cwd: root }).filter(
  (path) => !path.startsWith('test/fixtures/'),
);

function matches(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? '');
}

test('every relative link in the documentation leads somewhere', () => {
  assert.ok(pages.length > 10);
  const broken = pages.flatMap((page) =>
    matches(read(page), /\]\(([^)#\s]+)[^)]*\)/g)
      .filter((target) => !/^[a-z]+:/.test(target))
      .filter((target) => !existsSync(join(root, dirname(page), target)))
      .map((target) => `${page} → ${target}`),
  );
  assert.deepEqual(broken, []);
});

test('every path that the documentation names exists', () => {
  const named = /`((?:src|lab|test|bench|scripts|docs|deploy)\/[\w./-]*)`/g;
  const missing = pages.flatMap((page) =>
    matches(read(page), named)
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `${page} names ${path}`),
  );
  assert.deepEqual(missing, []);
});

test('ARCHITECTURE.md gives each room with what it may import, as the rules have it', () => {
  const rows = matches(read('ARCHITECTURE.md'), /^\| `src\/(\w+)` \| .+ \| .+ \|$/gm);
  assert.deepEqual([...rows].sort(), Object.keys(rooms).sort());
  for (const line of read('ARCHITECTURE.md').split('\n')) {
    const [, room = '', imports = ''] = /^\| `src\/(\w+)` \| .+ \| (.+) \|$/.exec(line) ?? [];
    if (room === '') continue;
    const named = imports.includes('mind') ? ['model', 'decide', 'wire', 'view'] : [];
    const expected = [...named, ...matches(imports, /`(\w+)`/g)].sort();
    assert.deepEqual([...(rooms[room]?.imports ?? [])].sort(), expected, `imports of ${room}`);
  }
});

test('README names the two commands, and every npm script that people may call exists', () => {
  const readme = read('README.md');
  assert.match(readme, /^npm ci && npm start\b/m);
  assert.match(readme, /^npm ci && npm test\b/m);
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  for (const page of pages) {
    for (const script of matches(read(page), /\bnpm run ([\w-]+)/g)) {
      assert.ok(scripts[script] !== undefined, `${page}: npm run ${script}`);
    }
  }
});

test('dependencies.md lists exactly the packages and versions of package.json', () => {
  const listed = [
    ...read('docs/reference/dependencies.md').matchAll(/^\| `([^`]+)` \| ([\d.]+) \|/gm),
  ];
  const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
  const wanted = ['dependencies', 'optionalDependencies', 'devDependencies'].flatMap((kind) =>
    Object.entries(manifest[kind] ?? {}),
  );
  const sorted = (pairs: readonly (readonly [string, string])[]) =>
    pairs.map(([name, version]) => `${name} ${version}`).sort();
  assert.deepEqual(
    sorted(listed.map(([, name = '', version = '']) => [name, version])),
    sorted(wanted),
  );
});

test('every proof in the threat model is a test, or a row of one, that exists', () => {
  const rows = read('docs/reference/threat-model.md')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (means|fault) \|/.test(line));
  assert.ok(rows.length > 30);
  const unproven = rows.filter((row) => {
    const [, path = '', name = ''] = /\| `([^`]+)`: ([^|]+) \|$/.exec(row) ?? [];
    if (path === '' || !existsSync(join(root, path))) return true;
    return !read(path).includes(name.trim());
  });
  assert.deepEqual(unproven, []);
});
