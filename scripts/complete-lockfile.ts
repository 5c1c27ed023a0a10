/**
 * Run after `npm install`: enters into the lockfile the optional packages for other platforms that the registry at hand
 * did not have. `npm ci` refuses a lockfile without them, though it installs none of them here.
 */

import { readFileSync, writeFileSync } from 'node:fs';

interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Lockfile {
  readonly packages: Record<string, LockedPackage>;
}

const systems = /aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32/;
const processors = /arm64|arm|ia32|loong64|mips64el|ppc64|riscv64|s390x|x64/;

/** What the lockfile wants but lacks, in the form it would have there. */
export function missingPackages({ packages }: Lockfile): Record<string, LockedPackage> {
  const missing: Record<string, LockedPackage> = {};
  for (const locked of Object.values(packages)) {
    for (const [name, version] of Object.entries(locked.optionalDependencies ?? {})) {
      const path = `node_modules/${name}`;
      if (packages[path] === undefined) missing[path] = describe(name, version, locked);
    }
  }
  return missing;
}

/** npm looks at the platform before it looks for the package. */
function describe(name: string, version: string, parent: LockedPackage): LockedPackage {
  const [os] = systems.exec(name) ?? [];
  const [cpu] = processors.exec(name) ?? [];
  if (os === undefined || cpu === undefined) throw new Error(`which platform is ${name} for?`);
  return {
    version,
    cpu: [cpu],
    ...(parent.dev === true ? { dev: true } : {}),
    ...(name.includes('musl') ? { libc: ['musl'] } : {}),
    optional: true,
    os: [os],
  };
}

if (process.argv[1] === import.meta.filename) {
  const path = new URL('../package-lock.json', import.meta.url);
  const lockfile = JSON.parse(readFileSync(path, 'utf8')) as Lockfile;
  Object.assign(lockfile.packages, missingPackages(lockfile));
  const sorted = Object.entries(lockfile.packages).sort(([left], [right]) =>
    left < right ? -1 : left > right ? 1 : 0,
  );
  const complete = { ...lockfile, packages: Object.fromEntries(sorted) };
  writeFileSync(path, `${JSON.stringify(complete, null, 2)}\n`);
}
