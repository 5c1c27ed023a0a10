import { ApiError, alreadyExists, forbidden, invalid, notFound } from '../api-error.ts';
import type { ApiObject } from '../api-object.ts';
import { trackUpdate } from '../apply/track-update.ts';
import type { FieldCause } from '../field-cause.ts';
import { type JsonObject, textAt } from '../json.ts';
import type { Resource, StrategyContext } from '../resource.ts';
import { type Core, commit, findStored, type Scope, type WriteOptions } from './core.ts';
import { decodeBody } from './decode-body.ts';
import { alignNamespace, prepareNewMetadata } from './metadata.ts';
import { resetStatus } from './status-part.ts';
import { validateMetadata } from './validate-metadata.ts';

export function createObject(
  core: Core,
  scope: Scope,
  body: JsonObject,
  options: WriteOptions,
): ApiObject {
  const object = decodeBody(scope.resource, body, options);
  alignNamespace(object, scope);
  checkNamespaceOpen(core, { ...scope, name: object.metadata.name ?? '' });
  refuseVersion(object);
  trackUpdate(core, scope, { object, old: undefined, manager: options.fieldManager });
  return createDecoded(core, scope, object, options);
}

/** From here on a create by POST, by PUT and by apply are the same. */
export function createDecoded(
  core: Core,
  scope: Scope,
  object: ApiObject,
  options: WriteOptions,
): ApiObject {
  const { resource } = scope;
  const context = contextOf(core, options);
  delete object.metadata.resourceVersion;
  prepareNewMetadata(core, object, scope);
  if (resource.hasStatus && !resource.strategy.keepsNewStatus) resetStatus(resource, object);
  resource.strategy.prepareCreate?.(object, context);
  refuseInvalid(resource, object, [
    ...validateMetadata(object, resource),
    ...(resource.strategy.validate?.(object, undefined, context) ?? []),
  ]);
  options.warnings.push(...(resource.strategy.warn?.(object, undefined) ?? []));
  const name = object.metadata.name ?? '';
  const attempt = { operation: 'CREATE', scope: { ...scope, name }, object } as const;
  options.admit?.({ ...attempt, isDryRun: options.isDryRun }, options.warnings);
  if (findStored(core, { ...scope, name }) !== undefined) throw alreadyExists(resource, name);
  return commit(core, resource, object, options);
}

export function contextOf(core: Core, { user, isDryRun }: WriteOptions): StrategyContext {
  return { store: core.store, now: core.clock.now(), identities: core.identities, user, isDryRun };
}

export function refuseInvalid(
  resource: Resource,
  object: ApiObject,
  causes: readonly FieldCause[],
): void {
  if (causes.length > 0) throw invalid(resource, object.metadata.name ?? '', causes);
}

function refuseVersion({ metadata }: ApiObject): void {
  if (metadata.resourceVersion === undefined || metadata.resourceVersion === '') return;
  throw new ApiError({
    code: 500,
    message: 'resourceVersion should not be set on objects to be created',
  });
}

const namespaces = { group: '', plural: 'namespaces' };

/** Nothing is created in a namespace that is missing or on its way out. */
export function checkNamespaceOpen(core: Core, { resource, namespace, name }: Scope): void {
  if (!resource.isNamespaced) return;
  const found = core.store.collection('namespaces').get(namespace);
  if (found === undefined) throw notFound(namespaces, namespace);
  if (textAt(found, 'status', 'phase') !== 'Terminating') return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw forbidden(resource, name, why, [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ]);
}
