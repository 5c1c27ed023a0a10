/** Answers with the headers that a real one sends, and the refusals that have nothing to do with what is asked. */

import type { Trouble } from './netbox.ts';
import {
  type Json,
  type NetboxAnswer,
  type NetboxRequest,
  Refusal,
  refuse,
} from './netbox-request.ts';
import { urlOf } from './render.ts';
import type { Route } from './route.ts';
import { etagOf, type Row, type TableName, tableKinds } from './tables.ts';

export class Reply {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly #request: NetboxRequest;
  readonly #version: string;
  readonly #route: Route | string | undefined;

  constructor(request: NetboxRequest, version: string, route: Route | string | undefined) {
    this.#request = request;
    this.#version = version;
    this.#route = route;
    this.method = request.method;
    const [path = '', ...query] = request.url.split('?');
    this.path = path;
    this.query = new URLSearchParams(query.join('?'));
  }

  get #isOld(): boolean {
    return this.#version.startsWith('4.2');
  }

  json(
    status: number,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): NetboxAnswer {
    const text = this.method === 'HEAD' ? '' : JSON.stringify(body);
    return {
      status,
      headers: { 'content-type': 'application/json', ...this.#usual(), ...headers },
      body: text,
    };
  }

  object(table: TableName, row: Row, body: Json): NetboxAnswer {
    const hasEtag = !this.#isOld && tableKinds[table].hasEtag;
    return this.json(200, body, hasEtag ? { etag: etagOf(row) } : {});
  }

  created(table: TableName, row: Row, body: unknown): NetboxAnswer {
    const hasEtag = !this.#isOld && tableKinds[table].hasEtag;
    const location = urlOf(table, row.id);
    return this.json(201, body, { location, ...(hasEtag ? { etag: etagOf(row) } : {}) });
  }

  empty(): NetboxAnswer {
    return { status: 204, headers: this.#usual(), body: '' };
  }

  refusal({ status, body }: Refusal): NetboxAnswer {
    const isPage = (this.#request.headers['accept'] ?? '').includes('text/html');
    if (isPage)
      return { ...html(status, 'IP Address List | NetBox REST API'), headers: this.#pageHeaders() };
    if (status === 500) return this.#fault(body as Json);
    if (status !== 412) return this.json(status, body);
    const { detail, etag } = body as { detail: string; etag: string };
    return this.json(412, { detail }, { etag });
  }

  noPage(): NetboxAnswer {
    const answer = html(404, 'Page Not Found | NetBox');
    return { ...answer, headers: { ...answer.headers, ...this.#apiVersion() } };
  }

  redirect(location: string): NetboxAnswer {
    const headers = { 'content-type': 'text/html; charset=utf-8', location };
    return { status: location.startsWith('/login') ? 302 : 301, headers, body: '' };
  }

  /** Undefined: this request does not notice it. */
  inTrouble(trouble: Trouble): NetboxAnswer | undefined {
    if (trouble === 'redis') {
      const answer = html(500, 'Server Error');
      return { ...answer, headers: { ...answer.headers, ...this.#apiVersion() } };
    }
    if (trouble === 'read-only') return this.#readOnly();
    const cut = 'terminating connection due to administrator command';
    const gone =
      'connection failed: connection to server at "127.0.0.1", port 48001 failed: Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?';
    return this.#fault({
      error: trouble === 'database' ? gone : cut,
      exception: 'OperationalError',
    });
  }

  #readOnly(): NetboxAnswer | undefined {
    if (this.method === 'GET' || this.method === 'HEAD') return undefined;
    const verb = this.method === 'PATCH' ? 'UPDATE' : 'INSERT';
    const error = `cannot execute ${verb} in a read-only transaction`;
    return this.#fault({ error, exception: 'InternalError' });
  }

  #fault(body: Json): NetboxAnswer {
    const python = this.#isOld ? '3.11.7' : '3.12.1';
    const text = { ...body, netbox_version: this.#version, python_version: python };
    const headers = { 'content-type': 'application/json', ...this.#apiVersion() };
    return { status: 500, headers, body: JSON.stringify(text) };
  }

  checkAccept(): void {
    const version = /version=([\d.]+)/.exec(this.#request.headers['accept'] ?? '')?.[1];
    if (version === undefined || this.#version.startsWith(version)) return;
    refuse(406, 'Invalid version in "Accept" header.');
  }

  checkMethod(): void {
    if (this.#allowed().split(', ').includes(this.method)) return;
    refuse(405, `Method "${this.method}" not allowed.`);
  }

  /** The older release does not look at it. */
  checkPrecondition(row: Row): void {
    const wanted = this.#request.headers['if-match'];
    if (this.#isOld || wanted === undefined || wanted === '*' || wanted === etagOf(row)) return;
    throw new Refusal(412, { detail: 'Precondition failed.', etag: etagOf(row) });
  }

  readBody(): unknown {
    const { body, headers } = this.#request;
    if (body === '') return {};
    const [type = ''] = (headers['content-type'] ?? '').split(';');
    if (type !== 'application/json') refuse(415, `Unsupported media type "${type}" in request.`);
    try {
      return JSON.parse(body) as unknown;
    } catch {
      const where = 'line 1 column 2 (char 1)';
      return refuse(
        400,
        `JSON parse error - Expecting property name enclosed in double quotes: ${where}`,
      );
    }
  }

  #usual(): Readonly<Record<string, string>> {
    return { allow: this.#allowed(), ...this.#apiVersion() };
  }

  #pageHeaders(): Readonly<Record<string, string>> {
    return { 'content-type': 'text/html; charset=utf-8', ...this.#usual() };
  }

  /** The older release says it only of writes. */
  #apiVersion(): Readonly<Record<string, string>> {
    if (this.#isOld && this.method === 'GET') return {};
    return { 'api-version': this.#version.slice(0, 3) };
  }

  #allowed(): string {
    const route = this.#route;
    if (typeof route !== 'object' || route.kind === 'plain') return 'GET, HEAD, OPTIONS';
    if (route.kind === 'available') return 'GET, POST, HEAD, OPTIONS';
    if (route.table === 'core/object-changes') return 'GET, HEAD, OPTIONS';
    const most = 'PUT, PATCH, DELETE, HEAD, OPTIONS';
    return route.kind === 'list' ? `GET, POST, ${most}` : `GET, ${most}`;
  }
}

export function html(status: number, title: string): NetboxAnswer {
  const headers = { 'content-type': 'text/html; charset=utf-8' };
  const body = `<!DOCTYPE html><html><head><title>${title}</title></head><body></body></html>`;
  return { status, headers, body };
}
