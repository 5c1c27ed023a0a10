/** In a container: the web server of the lab. */

process.argv[2] = process.env['PORT'] ?? '8080';
await import('../../kubelet/images/web-program.ts');
