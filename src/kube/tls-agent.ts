import type { Agent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Clock } from '../runtime/clock.ts';
import type { ApiServerConfig } from './api-server-config.ts';
import { plainHttp } from './plain-http.ts';
import { RotatingText } from './rotating-text.ts';

/** Below what servers and load balancers allow, so that it is us who close an idle connection. */
const idleMs = 30_000;
/** After a burst only so many connections are kept. */
const mostIdle = 4;

interface Pem {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

/** Hands out the pool of connections for the certificates as they are on disk now. */
export class TlsAgent {
  readonly #config: ApiServerConfig;
  readonly #ca: RotatingText | undefined;
  readonly #cert: RotatingText | undefined;
  readonly #key: RotatingText | undefined;
  #made: { readonly pem: Pem; readonly agent: Agent } | undefined;

  constructor(config: ApiServerConfig, clock: Clock) {
    this.#config = config;
    const { ca, clientCertificate: own } = config;
    this.#ca = ca && new RotatingText(ca, clock);
    this.#cert = own && new RotatingText(own.cert, clock);
    this.#key = own && new RotatingText(own.key, clock);
  }

  async get(): Promise<Agent> {
    const pem = {
      ca: await this.#ca?.get(),
      cert: await this.#cert?.get(),
      key: await this.#key?.get(),
    };
    if (this.#made !== undefined && isSame(this.#made.pem, pem)) return this.#made.agent;
    const agent = this.#make(pem);
    if (this.#made !== undefined) retire(this.#made.agent);
    this.#made = { pem, agent };
    return agent;
  }

  /** Looks at the files now; true if one has changed. */
  async refresh(): Promise<boolean> {
    let isChanged = false;
    for (const text of [this.#ca, this.#cert, this.#key]) {
      if (await text?.refresh()) isChanged = true;
    }
    return isChanged;
  }

  close(): void {
    this.#made?.agent.destroy();
    this.#made = undefined;
  }

  #make(pem: Pem): Agent {
    const { server, serverName, isInsecure = false } = this.#config;
    const pool = { keepAlive: true, maxFreeSockets: mostIdle, timeout: idleMs };
    if (!server.startsWith('https:')) return new (plainHttp().Agent)(pool);
    return new HttpsAgent({
      ...pool,
      secureContext: makeContext(pem),
      rejectUnauthorized: !isInsecure,
      ...(serverName === undefined ? {} : { servername: serverName }),
    });
  }
}

function isSame(left: Pem, right: Pem): boolean {
  return left.ca === right.ca && left.cert === right.cert && left.key === right.key;
}

/** One for all connections: authorities are parsed once. */
function makeContext({ ca, cert, key }: Pem): SecureContext {
  return createSecureContext({
    minVersion: 'TLSv1.2',
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  });
}

/** Exchanges under way come to their end; no new one uses these connections. */
function retire(agent: Agent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy();
  }
}
