import { join } from 'node:path';
import type { Host } from '../network/host.ts';
import type { HostProcess } from '../process/host-process.ts';

export const defaultPort = 7777;

export interface ResponderOptions {
  readonly port?: number;
  /** What it calls itself in its answers; the host's name by default. */
  readonly id?: string;
  /** Says after its name whom it answers, as it sees them: `pod1 for 203.0.113.91`. */
  readonly tellsPeer?: boolean;
}

export interface ResponderConfig {
  readonly port: number;
  readonly id: string;
  readonly tellsPeer: boolean;
}

/** Echoes UDP and TCP on all of a host's addresses, present and future, and says who answers. */
export async function startResponder(
  host: Host,
  { port = defaultPort, id = host.name, tellsPeer = false }: ResponderOptions = {},
): Promise<HostProcess> {
  const config: ResponderConfig = { port, id, tellsPeer };
  const program = join(import.meta.dirname, 'responder-program.ts');
  return host.start([process.execPath, program, JSON.stringify(config)], { ready: /"ready"/ });
}
