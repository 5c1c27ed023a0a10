/** In a container: the responder, which calls itself by the name of its pod. */

import { hostname } from 'node:os';
import { defaultPort, type ResponderConfig } from '../../traffic/responder.ts';

const port = Number(process.env['PORT'] ?? defaultPort);
const config: ResponderConfig = { port, id: hostname(), tellsPeer: false };
process.argv[2] = JSON.stringify(config);
await import('../../traffic/responder-program.ts');
