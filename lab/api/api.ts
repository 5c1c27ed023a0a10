/**
 * The API server without a network: one request in, one answer out, at once. Whoever holds it (the HTTP server, a
 * simulation) decides about time and transport.
 */

import type { Clock } from '../../src/runtime/clock.ts';
import { Admission } from './admission/admission.ts';
import { methodNotAllowed, unknownResource } from './api-error.ts';
import { type ApiRequest, type ApiResponse, textResponse } from './api-request.ts';
import { Audit } from './audit.ts';
import { type Attributes, attributesOf } from './auth/attributes.ts';
import { Authenticator, type User } from './auth/authenticator.ts';
import { authorize } from './auth/authorize.ts';
import { createDefaultRoles } from './auth/default-roles.ts';
import { impersonate } from './auth/impersonate.ts';
import { allRules, Rbac, type Verdict } from './auth/rbac.ts';
import { answerReview } from './auth/reviews.ts';
import { bootstrap } from './bootstrap.ts';
import { startCleanUp } from './controllers/clean-up.ts';
import { type ControllerSettings, startControllers } from './controllers/controllers.ts';
import { serveCustomResources } from './custom/custom-resources.ts';
import { answerDiscovery } from './discovery/discovery.ts';
import { builtInResources } from './kinds/built-in-resources.ts';
import { builtInStrategies } from './kinds/built-in-strategies.ts';
import { firstIpOf } from './kinds/service/service-allocations.ts';
import { Registry } from './registry.ts';
import { type RequestInfo, readRequestInfo } from './request-info.ts';
import type { Resource } from './resource.ts';
import { errorResponse, handleResource } from './resource-handler.ts';
import type { Core, Scope } from './rest/core.ts';
import { mediaType, parseBody } from './rest/decode-body.ts';
import { type Identities, randomIdentities } from './rest/identities.ts';
import { Compaction } from './store/compaction.ts';
import { Store } from './store/store.ts';
import type { PodLogs } from './subresources/pod-logs.ts';
import { findSubresource } from './subresources/subresources.ts';
import { readBuiltInTypes } from './types/built-in-types.ts';

export interface ApiOptions {
  readonly clock: Clock;
  readonly identities?: Identities;
  /** IPv4 and IPv6 ranges of cluster addresses; the first one's family is the default. */
  readonly serviceCidrs?: readonly string[];
  /** Enforce roles; otherwise everybody may do everything. */
  readonly rbac?: boolean;
  /** Run what a controller manager and a scheduler would; otherwise objects are kept and nothing follows from them. */
  readonly controllers?: boolean | ControllerSettings;
  /** Where the output of containers comes from, if pods run at all. */
  readonly podLogs?: PodLogs;
}

export class Api {
  readonly core: Core;
  readonly authenticator = new Authenticator();
  readonly audit = new Audit();
  readonly #rbac: Rbac | undefined;
  readonly #admission: Admission;
  readonly #podLogs: PodLogs | undefined;
  readonly #compaction: Compaction;
  readonly #stops: (() => void)[];

  constructor(options: ApiOptions) {
    const {
      clock,
      identities = randomIdentities,
      serviceCidrs = ['10.96.0.0/16', 'fd00:96::/108'],
      rbac = false,
    } = options;
    this.#podLogs = options.podLogs;
    const store = new Store();
    const types = readBuiltInTypes();
    const strategies = builtInStrategies({ store, serviceCidrs });
    const registry = new Registry(builtInResources(types, strategies));
    this.core = { store, registry, clock, identities };
    this.#compaction = new Compaction(store, clock);
    this.#rbac = rbac ? new Rbac(store) : undefined;
    this.#admission = new Admission(store, (user, wish) => this.#judge(user, wish));
    serveCustomResources(store, registry, types.get('meta.v1.ObjectMeta') ?? { type: 'any' });
    this.#stops = [startCleanUp(this.core)];
    bootstrap(this.core, firstIpOf(serviceCidrs[0] ?? ''));
    createDefaultRoles(this.core);
    const { controllers = false } = options;
    if (controllers === false) return;
    const settings = controllers === true ? {} : controllers;
    this.#stops.push(startControllers(this.core, settings));
  }

  /** Cancels its timers; what is stored can still be read. */
  stop(): void {
    for (const stop of this.#stops) stop();
  }

  /** Name of who sends the request; empty when the credentials are wrong. */
  userOf(request: ApiRequest): string {
    try {
      return this.authenticator.authenticate(request).name;
    } catch {
      return '';
    }
  }

  handle(request: ApiRequest): ApiResponse {
    try {
      return this.#answer(request);
    } catch (error) {
      return errorResponse(error);
    }
  }

  #answer(request: ApiRequest): ApiResponse {
    this.#compaction.run();
    const [path = '', search = ''] = request.url.split('?', 2);
    const query = new URLSearchParams(search);
    const info = readRequestInfo(request.method, path, query);
    const caller = this.authenticator.authenticate(request);
    const user = impersonate(caller, request, this.#rbac);
    const attributes = attributesOf(info, query);
    this.audit.count(user.name, info.verb, 'path' in attributes ? path : attributes.resource);
    if (this.#rbac !== undefined) authorize(this.#rbac, user, attributes);
    if (!info.isResource)
      return answerDiscovery(this.core, path, request.headers['accept']) ?? notServed();
    return (
      this.#review(request, info, user) ??
      this.#serve(request, { info, query, user }) ??
      notServed()
    );
  }

  #judge(user: User, attributes: Attributes): Verdict {
    return this.#rbac?.judge(user, attributes) ?? { isAllowed: true, reason: '' };
  }

  #review(request: ApiRequest, info: RequestInfo, user: User): ApiResponse | undefined {
    const judge = (who: User, attributes: Attributes) => this.#judge(who, attributes);
    const { core, authenticator } = this;
    const rules = (who: User, namespace: string) => this.#rbac?.rules(who, namespace) ?? allRules;
    return answerReview({ core, authenticator, judge, rules }, info, user, () =>
      parseBody(request.body, mediaType(request.headers['content-type'])),
    );
  }

  #serve(
    request: ApiRequest,
    { info, query, user }: { info: RequestInfo; query: URLSearchParams; user: User },
  ): ApiResponse | undefined {
    const scope = this.#scopeOf(info);
    if (scope === undefined) return undefined;
    const admit = this.#admission.admitter(user);
    const call = { request, scope, verb: info.verb, query, user: user.name, admit };
    const subresource = findSubresource(scope.resource, scope.subresource);
    if (subresource === undefined) return handleResource(this.core, call);
    if (!subresource.verbs.includes(info.verb)) throw methodNotAllowed();
    return subresource.handle({ core: this.core, podLogs: this.#podLogs }, call);
  }

  #scopeOf(info: RequestInfo): Scope | undefined {
    const { registry } = this.core;
    const { group, version, resource: plural, namespace, name, subresource } = info;
    const resource = registry.find(group, version, plural);
    if (resource === undefined) {
      if (isBuiltIn(registry, group, version)) throw unknownResource();
      return undefined;
    }
    if (!hasSubresource(resource, subresource)) throw unknownResource();
    return { resource, namespace: resource.isNamespaced ? namespace : '', name, subresource };
  }
}

/** Only groups of its own explain themselves; elsewhere a path that is not there is just not there. */
function isBuiltIn(registry: Registry, group: string, version: string): boolean {
  return registry
    .all()
    .some((known) => !known.isCustom && known.group === group && known.version === version);
}

function hasSubresource(resource: Resource, subresource: string): boolean {
  const { hasStatus, strategy } = resource;
  if (subresource === '' || findSubresource(resource, subresource) !== undefined) return true;
  if (subresource === 'status') return hasStatus;
  return subresource === 'finalize' && strategy.prepareFinalize !== undefined;
}

function notServed(): ApiResponse {
  return textResponse(404, '404 page not found\n');
}
