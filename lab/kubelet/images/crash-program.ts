/** Runs in a pod, for a while. */

process.stdout.write('about to crash\n');
setTimeout(() => process.exit(1), Number(process.env['CRASH_AFTER_MS'] ?? 0));
