/**
 * The API server without a network: one request in, one answer out, at once. Whoever holds it (the HTTP server, a
 * simulation) decides about time and transport.
 */

import type { Clock } from '../../src/runtime/clock.ts';
import { unknownResource } from './api-error.ts';
import { type ApiRequest, type ApiResponse, textResponse } from './api-request.ts';
import { bootstrap } from './bootstrap.ts';
import { answerDiscovery } from './discovery/discovery.ts';
import { builtInResources } from './kinds/built-in-resources.ts';
import { builtInStrategies } from './kinds/built-in-strategies.ts';
import { firstIpOf } from './kinds/service/service-allocations.ts';
import { Registry } from './registry.ts';
import { type RequestInfo, readRequestInfo } from './request-info.ts';
import { errorResponse, handleResource } from './resource-handler.ts';
import type { Core, Scope } from './rest/core.ts';
import { type Identities, randomIdentities } from './rest/identities.ts';
import { Store } from './store/store.ts';

export interface ApiOptions {
  readonly clock: Clock;
  readonly identities?: Identities;
  /** IPv4 and IPv6 ranges of cluster addresses; the first one's family is the default. */
  readonly serviceCidrs?: readonly string[];
}

export class Api {
  readonly core: Core;

  constructor({
    clock,
    identities = randomIdentities,
    serviceCidrs = ['10.96.0.0/16', 'fd00:96::/108'],
  }: ApiOptions) {
    const store = new Store();
    const registry = new Registry(builtInResources(builtInStrategies({ store, serviceCidrs })));
    this.core = { store, registry, clock, identities };
    bootstrap(this.core, firstIpOf(serviceCidrs[0] ?? ''));
  }

  handle(request: ApiRequest): ApiResponse {
    try {
      return this.#answer(request);
    } catch (error) {
      return errorResponse(error);
    }
  }

  #answer(request: ApiRequest): ApiResponse {
    const [path = '', search = ''] = request.url.split('?', 2);
    const query = new URLSearchParams(search);
    const info = readRequestInfo(request.method, path, query);
    if (!info.isResource) return answerDiscovery(this.core, path) ?? notServed();
    const scope = this.#scopeOf(info);
    if (scope === undefined) return notServed();
    return handleResource(this.core, { request, scope, verb: info.verb, query, user: '' });
  }

  #scopeOf(info: RequestInfo): Scope | undefined {
    const { registry } = this.core;
    const { group, version, resource: plural, namespace, name, subresource } = info;
    const resource = registry.find(group, version, plural);
    if (resource === undefined) {
      if (registry.hasGroupVersion(group, version)) throw unknownResource();
      return undefined;
    }
    if (subresource !== '' && !(subresource === 'status' && resource.hasStatus)) {
      throw unknownResource();
    }
    return { resource, namespace: resource.isNamespaced ? namespace : '', name, subresource };
  }
}

function notServed(): ApiResponse {
  return textResponse(404, '404 page not found\n');
}
