/**
 * `npm run bundle`: what is shipped, in `dist`: one CommonJS file per program, the native part of koffi for this
 * machine's kind, and the licenses of what went into them.
 */

import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';

const root = new URL('..', import.meta.url).pathname;

export const bundleFolder = join(root, 'dist');
export const programs = ['allocator', 'agent'] as const;

/** Found at run time beside the program: a binary, and a reader of kubeconfig files that no pod needs. */
const beside: Readonly<Record<string, string>> = { koffi: './koffi.node', yaml: './yaml.cjs' };

const takeFromBeside: Plugin = {
  name: 'take-from-beside',
  setup({ onResolve }) {
    onResolve({ filter: /^(koffi|yaml)$/ }, ({ path, kind }) => {
      const found = kind === 'entry-point' ? undefined : beside[path];
      return found === undefined ? undefined : { path: found, external: true };
    });
  },
};

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  // An ES module that imports node:http loads all of undici with it.
  format: 'cjs',
  outExtension: { '.js': '.cjs' },
  target: 'node24',
  // Becomes `require`, which knows what a CommonJS file beside it exports, without the loader of ES modules.
  supported: { 'dynamic-import': false },
  metafile: true,
  logLevel: 'warning',
} as const;

/** Resolves to the files that were written. */
export async function bundle(folder = bundleFolder): Promise<readonly string[]> {
  mkdirSync(folder, { recursive: true });
  const entryPoints = programs.map((name) => ({ in: `src/${name}/main.ts`, out: name }));
  const own = await build({
    ...shared,
    entryPoints,
    outdir: folder,
    plugins: [takeFromBeside],
    minifySyntax: true,
    minifyWhitespace: true,
    sourcemap: 'linked',
    sourcesContent: false,
  });
  const foreign = await build({
    ...shared,
    entryPoints: ['yaml'],
    outdir: folder,
    minify: true,
    legalComments: 'none',
  });
  cpSync(nativeKoffi(), join(folder, 'koffi.node'));
  writeFileSync(join(folder, 'LICENSES.txt'), renderLicenses(['koffi', ...packagesIn(foreign)]));
  const written = [own, foreign].flatMap(({ metafile }) => Object.keys(metafile.outputs));
  const copied = ['koffi.node', 'LICENSES.txt'].map((name) => join(folder, name));
  return [...written.map((path) => join(root, path)), ...copied];
}

const require = createRequire(import.meta.url);

/** Of glibc or of musl, as this Node is. */
function nativeKoffi(): string {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  const libc = header.glibcVersionRuntime === undefined ? 'musl' : 'linux';
  const koffi = dirname(require.resolve('koffi'));
  const platform = `koffi-${process.platform}-${process.arch}`;
  return join(koffi, '../@koromix', platform, `${libc}_${process.arch}`, 'koffi.node');
}

function packagesIn({ metafile }: { readonly metafile: Metafile }): readonly string[] {
  const names = Object.keys(metafile.inputs).flatMap(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  );
  return [...new Set(names)];
}

function renderLicenses(packages: readonly string[]): string {
  const own = `PureLB\n\n${readFileSync(join(root, 'LICENSE'), 'utf8')}`;
  return [own, ...packages.map(renderLicense)].join(`\n${'-'.repeat(80)}\n\n`);
}

function renderLicense(name: string): string {
  const folder = join(root, 'node_modules', name);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  const file = name === 'koffi' ? 'LICENSE.txt' : 'LICENSE';
  return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8')}`;
}

if (process.argv[1] === import.meta.filename) {
  for (const path of await bundle()) process.stdout.write(`${path}\n`);
}
