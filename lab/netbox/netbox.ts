/**
 * A small Netbox: as much of its REST API as address management needs, with the answers that real ones gave
 * (`exchanges/`), and with their bad habits. It holds everything in memory and handles one request at a time, as the
 * real one does where addresses are written.
 */

import { AddressBook } from './address-book.ts';
import { type Action, authenticate, type Caller, notAllowed } from './auth.ts';
import type { CheckContext } from './check-fields.ts';
import { filterRows, sortRows } from './filters.ts';
import {
  type Json,
  type NetboxAnswer,
  type NetboxRequest,
  Refusal,
  refuse,
} from './netbox-request.ts';
import { OtherObjects } from './other-objects.ts';
import { paginate } from './paging.ts';
import { pickFields, Renderer } from './render.ts';
import { Reply } from './reply.ts';
import { findRoute, type Route } from './route.ts';
import { type Row, type TableName, Tables, tableKinds } from './tables.ts';

export interface NetboxOptions {
  readonly version?: '4.6.8' | '4.2.9';
  /** Epoch ms. */
  readonly now?: () => number;
  readonly enforcesGlobalUnique?: boolean;
  readonly pageSize?: number;
  readonly mostPerPage?: number;
  /** New v2 tokens, as `key.secret`. */
  readonly makeSecret?: () => string;
}

export const adminToken = '0123456789abcdef0123456789abcdef01234567';

/** A part of the machinery that is away. */
export type Trouble = 'redis' | 'database' | 'stale-connection' | 'read-only';

export class Netbox {
  readonly tables: Tables;
  readonly isOld: boolean;
  readonly version: string;
  trouble: Trouble | undefined;
  enforcesGlobalUnique: boolean;
  pageSize: number;
  mostPerPage: number;
  readonly #now: () => number;
  readonly #renderer: Renderer;
  readonly #addresses: AddressBook;
  readonly #others: OtherObjects;

  constructor(options: NetboxOptions = {}) {
    this.version = options.version ?? '4.6.8';
    this.isOld = this.version === '4.2.9';
    this.enforcesGlobalUnique = options.enforcesGlobalUnique ?? true;
    this.pageSize = options.pageSize ?? 50;
    this.mostPerPage = options.mostPerPage ?? 1000;
    this.#now = options.now ?? (() => Date.now());
    this.tables = new Tables(this.#now);
    this.#renderer = new Renderer(this.tables);
    this.#addresses = new AddressBook(this.tables, () => this.enforcesGlobalUnique, this.isOld);
    this.#others = new OtherObjects(this.tables, this.isOld, options.makeSecret);
    this.tables.insert('users/users', { username: 'admin', is_superuser: true });
    this.tables.insert('users/tokens', { version: 1, token: adminToken, user: 1 });
  }

  handle(request: NetboxRequest): NetboxAnswer {
    const route = findRoute(request.url, request.method, this.isOld);
    const reply = new Reply(request, this.version, route);
    if (this.trouble !== undefined) {
      const broken = reply.inTrouble(this.trouble);
      if (broken !== undefined) return broken;
    }
    if (typeof route === 'string') return reply.redirect(route);
    if (route === undefined) return reply.noPage();
    try {
      return this.#answer(request, route, reply);
    } catch (error) {
      if (error instanceof Refusal) return reply.refusal(error);
      throw error;
    }
  }

  #answer(request: NetboxRequest, route: Route, reply: Reply): NetboxAnswer {
    const { headers } = request;
    const settings = { knowsV2: !this.isOld, now: this.#now };
    const caller = authenticate(headers['authorization'] ?? '', this.tables, settings);
    reply.checkAccept();
    reply.checkMethod();
    if (route.kind === 'plain') return reply.json(200, this.#plain(route.name, caller));
    const context = { tables: this.tables, caller, isOld: this.isOld };
    if (route.kind === 'available') return this.#available(route, reply, context);
    return route.kind === 'list'
      ? this.#collection(route.table, reply, context)
      : this.#object(route.table, route.id, reply, context);
  }

  #plain(name: string, caller: Caller): Json {
    const versions = { 'netbox-version': this.version, plugins: {}, 'rq-workers-running': 0 };
    const more = { hostname: 'vm', 'netbox-full-version': this.version };
    if (name === 'status') {
      const [django, python] = this.isOld ? ['5.1.8', '3.11.7'] : ['6.0.8', '3.12.1'];
      const base = { ...versions, 'django-version': django, 'python-version': python };
      return this.isOld ? base : { ...base, ...more };
    }
    if (name === 'authentication-check')
      return { id: 1, display: caller.name, username: caller.name };
    const apps =
      'circuits core dcim extras ipam plugins status tenancy users virtualization vpn wireless';
    return Object.fromEntries(
      apps.split(' ').map((app) => [app, `http://netbox.example/api/${app}/`]),
    );
  }

  #available(
    { table, id }: Extract<Route, { kind: 'available' }>,
    reply: Reply,
    context: CheckContext,
  ) {
    const { caller } = context;
    this.#demand(caller, reply.method === 'POST' ? 'add' : 'view', 'ipam/ip-addresses');
    const row = this.#find(table, id, caller, 'view');
    const parent = { table, row };
    if (reply.method !== 'POST') {
      const most = Number(reply.query.get('limit') ?? this.pageSize);
      return reply.json(200, this.#addresses.listAvailable(parent, most));
    }
    const body = reply.readBody();
    const rows = this.#addresses.takeAvailable(parent, body, context);
    const rendered = rows.map((each) => this.#renderer.full('ipam/ip-addresses', each));
    return reply.json(201, Array.isArray(body) ? rendered : rendered[0]);
  }

  #collection(table: TableName, reply: Reply, context: CheckContext): NetboxAnswer {
    const actions = { POST: 'add', PATCH: 'change', PUT: 'change', DELETE: 'delete' } as const;
    const action = (actions as Record<string, Action>)[reply.method] ?? 'view';
    this.#demand(context.caller, action, table);
    if (action === 'view') return reply.json(200, this.#list(table, reply, context.caller));
    const body = reply.readBody();
    if (action === 'add') return this.#create(table, body, reply, context);
    if (!Array.isArray(body)) return refuse(400, 'Expected a list of items.');
    const rows = body.flatMap((each: Json) => this.tables.get(table, Number(each['id'])) ?? []);
    if (action === 'delete') {
      for (const { id } of rows) this.tables.delete(table, id);
      return reply.empty();
    }
    for (const row of rows) {
      const change = body.find((each: Json) => each['id'] === row.id) as Json;
      this.#addresses.update(row, change, context);
    }
    return reply.json(
      200,
      rows.map((row) => this.#renderer.full(table, row)),
    );
  }

  #list(table: TableName, reply: Reply, caller: Caller): Json {
    const { query } = reply;
    const isLiteral = this.isOld;
    const found = filterRows(table, query, this.tables, { isLiteral }).filter((row) =>
      caller.mayTouch('view', table, row),
    );
    const sizes = {
      pageSize: this.pageSize,
      mostPerPage: this.mostPerPage,
      hasCursor: !this.isOld,
    };
    const page = paginate(reply.path, query, sortRows(found, query.get('ordering')), sizes);
    const isBrief = query.has('brief');
    const results = page.rows.map((row) =>
      isBrief
        ? this.#renderer.brief(table, row)
        : pickFields(this.#renderer.full(table, row), query),
    );
    return { count: page.count, next: page.next, previous: page.previous, results };
  }

  #create(table: TableName, body: unknown, reply: Reply, context: CheckContext): NetboxAnswer {
    const rows =
      table === 'ipam/ip-addresses'
        ? this.#addresses.create(body, context)
        : [this.#others.create(table, body as Json, context)];
    const [first] = rows;
    const rendered = rows.map((row) => this.#renderer.full(table, row));
    if (Array.isArray(body) || first === undefined) return reply.json(201, rendered);
    return reply.created(table, first, rendered[0]);
  }

  #object(table: TableName, id: number, reply: Reply, context: CheckContext): NetboxAnswer {
    const actions = { PATCH: 'change', PUT: 'change', DELETE: 'delete' } as const;
    const action = (actions as Record<string, Action>)[reply.method] ?? 'view';
    this.#demand(context.caller, action, table);
    const row = this.#find(table, id, context.caller, action);
    if (action === 'view') return reply.object(table, row, this.#render(table, row, reply));
    reply.checkPrecondition(row);
    if (action === 'delete') {
      this.tables.delete(table, id);
      return reply.empty();
    }
    const body = reply.readBody() as Json;
    if (table === 'ipam/ip-addresses') this.#addresses.update(row, body, context);
    else this.#others.update(table, row, body);
    return reply.object(table, row, this.#render(table, row, reply));
  }

  #render(table: TableName, row: Row, { query }: Reply): Json {
    if (query.has('brief')) return this.#renderer.brief(table, row);
    return pickFields(this.#renderer.full(table, row), query);
  }

  #demand(caller: Caller, action: Action, table: TableName): void {
    if (!caller.may(action, table)) refuse(403, notAllowed);
  }

  #find(table: TableName, id: number, caller: Caller, action: Action): Row {
    const row = this.tables.get(table, id);
    if (row !== undefined && caller.mayTouch(action, table, row)) return row;
    return refuse(404, `No ${tableKinds[table].model} matches the given query.`);
  }
}
