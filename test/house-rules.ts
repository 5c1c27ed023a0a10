/** The rules of the house (ARCHITECTURE.md) as data, and the function that finds what breaks them. */

import { existsSync, globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, dirname, join, normalize } from 'node:path';

interface Room {
  /** Rooms whose files this one may import, beside its own. */
  readonly imports: readonly string[];
  /** Node modules and packages that its product files may import. */
  readonly touches: readonly string[];
}

const mind = ['model', 'decide', 'wire', 'view'];

export const rooms: Readonly<Record<string, Room>> = {
  model: { imports: [], touches: [] },
  decide: { imports: ['model'], touches: ['node:crypto'] },
  wire: { imports: ['model'], touches: [] },
  view: { imports: ['model', 'decide'], touches: [] },
  runtime: {
    imports: [],
    touches: [
      'node:timers',
      'node:http',
      'node:http2',
      'node:net',
      'node:fs',
      'node:perf_hooks',
      'node:v8',
    ],
  },
  kube: {
    imports: ['model', 'runtime'],
    touches: [
      'node:https',
      'node:http',
      'node:tls',
      'node:net',
      'node:fs',
      'node:path',
      'node:crypto',
      'yaml',
    ],
  },
  linux: { imports: ['model', 'wire', 'runtime'], touches: ['koffi', 'node:fs'] },
  gobgp: { imports: ['model', 'runtime'], touches: ['node:fs'] },
  ipam: {
    imports: ['model', 'runtime'],
    touches: ['node:https', 'node:http', 'node:tls', 'node:fs'],
  },
  program: {
    imports: ['model', 'kube', 'runtime'],
    touches: ['node:process', 'node:util'],
  },
  allocator: {
    imports: [...mind, 'kube', 'ipam', 'runtime', 'program'],
    touches: ['node:process', 'node:os', 'node:crypto'],
  },
  agent: {
    imports: [...mind, 'kube', 'linux', 'runtime', 'program', 'bgp'],
    touches: ['node:process', 'node:os', 'node:dgram', 'node:crypto', 'node:fs'],
  },
  bgp: { imports: [...mind, 'kube', 'linux', 'gobgp', 'runtime'], touches: ['node:process'] },
  cli: {
    imports: [...mind, 'kube', 'runtime', 'dashboard'],
    touches: ['node:process', 'node:util', 'node:child_process', 'node:fs', 'node:path', 'yaml'],
  },
  dashboard: { imports: ['model', 'view', 'runtime'], touches: ['node:http', 'node:fs'] },
};

/** Rules for one file alone that its text can show to be broken. */
const textRules: readonly {
  readonly appliesTo: (file: SourceFile) => boolean;
  readonly forbids: RegExp;
  readonly because: string;
}[] = [
  {
    appliesTo: (file) => mind.includes(file.room),
    forbids:
      /\b(Date\.now|new Date|performance\.|setTimeout|setInterval|setImmediate|queueMicrotask)\b/g,
    because: 'the mind has no clock: take `now` as an argument',
  },
  {
    appliesTo: (file) => mind.includes(file.room),
    forbids: /\b(Math\.random|crypto\.|randomBytes|randomUUID|getRandomValues)\b/g,
    because: 'the mind leaves nothing to chance',
  },
  {
    appliesTo: (file) => mind.includes(file.room),
    forbids: /\b(process\.|Buffer\b|fetch\(|globalThis\b|require\()/g,
    because: 'the mind knows no machine',
  },
  {
    appliesTo: (file) => file.room !== 'runtime' && !mind.includes(file.room),
    forbids: /\b(setTimeout|setInterval)\b/g,
    because: 'timers belong to runtime/clock',
  },
];

/** Packages that one single file may import. */
const onlyIn: Readonly<Record<string, string>> = { koffi: 'src/linux/libc.ts' };

const longestFile = 300;

interface SourceFile {
  /** Path below the root, such as `src/decide/elect.ts`. */
  readonly path: string;
  readonly room: string;
  /** Without comments. */
  readonly code: string;
  readonly lines: number;
  readonly root: string;
}

/** Every broken rule below `root/src`, one line each, sorted by path. */
export function findViolations(root: string): readonly string[] {
  const files = globSync('src/**/*.ts', { cwd: root })
    .sort()
    .map((path) => readSource(root, path));
  return files.flatMap((file) => findFileViolations(file).map((text) => `${file.path}: ${text}`));
}

function readSource(root: string, path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  const room = path.split('/')[1] ?? '';
  return { path, root, room, code: withoutComments(text), lines: text.split('\n').length - 1 };
}

function findFileViolations(file: SourceFile): readonly string[] {
  if (rooms[file.room] === undefined) return [`there is no room called "${file.room}"`];
  if (isTestFile(file.path)) return [];
  return [
    ...importedBy(file).flatMap((specifier) => findImportViolation(file, specifier) ?? []),
    ...findTextViolations(file),
    ...(isMissingTest(file) ? ['a mind file needs a test beside it'] : []),
    ...(file.lines > longestFile ? [`${file.lines} lines; split it below ${longestFile}`] : []),
  ];
}

/** Tests, contract suites, fakes and captured bytes: never part of the product. */
function isTestFile(path: string): boolean {
  return /(\.test|\.contract|\.fixture)\.ts$|\/fake-[^/]+\.ts$/.test(path);
}

function findImportViolation(file: SourceFile, specifier: string): string | undefined {
  const allowed = rooms[file.room] ?? { imports: [], touches: [] };
  if (!specifier.startsWith('.')) return findModuleViolation(file, allowed, specifier);
  const target = normalize(join(dirname(file.path), specifier));
  if (isTestFile(target)) return `product code imports ${basename(target)}, which is for tests`;
  const [top, room = ''] = target.split('/');
  if (top !== 'src') return `product code imports ${top}/`;
  if (room === file.room || allowed.imports.includes(room)) return undefined;
  return `${file.room} may not import ${room}`;
}

function findModuleViolation(file: SourceFile, room: Room, specifier: string): string | undefined {
  const name = builtinModules.includes(specifier) ? `node:${specifier}` : specifier;
  const isAllowed = room.touches.some((module) => name === module || name.startsWith(`${module}/`));
  if (!isAllowed) return `${file.room} may not touch ${name}`;
  const only = onlyIn[name];
  return only === undefined || only === file.path ? undefined : `only ${only} may import ${name}`;
}

function findTextViolations(file: SourceFile): readonly string[] {
  const code = withoutStrings(file.code);
  return textRules
    .filter((rule) => rule.appliesTo(file))
    .flatMap((rule) =>
      [...code.matchAll(rule.forbids)].map((match) => `${match[0]}: ${rule.because}`),
    );
}

/** A file of types alone has nothing to test. */
function isMissingTest(file: SourceFile): boolean {
  if (!mind.includes(file.room)) return false;
  if (!/^export (async )?(function|class|const|let)\b/m.test(file.code)) return false;
  return !existsSync(join(file.root, file.path.replace(/\.ts$/, '.test.ts')));
}

function importedBy(file: SourceFile): readonly string[] {
  const patterns = [
    /^\s*(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/gm,
    /^\s*import\s*['"]([^'"]+)['"]/gm,
    /\bimport\(\s*['"]([^'"]+)['"]/g,
  ];
  return patterns.flatMap((pattern) =>
    [...file.code.matchAll(pattern)].map((match) => match[1] ?? ''),
  );
}

const literal = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/;

function withoutComments(text: string): string {
  const pattern = new RegExp(`(${literal.source})|/\\*[\\s\\S]*?\\*/|//[^\\n]*`, 'g');
  return text.replace(pattern, (_, kept: string | undefined) => kept ?? '');
}

function withoutStrings(code: string): string {
  return code.replace(new RegExp(literal.source, 'g'), "''");
}
