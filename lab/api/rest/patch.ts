import {
  ApiError,
  badRequest,
  invalid,
  notFound,
  unprocessable,
  unsupportedMediaType,
} from '../api-error.ts';
import type { ApiObject } from '../api-object.ts';
import { trackUpdate } from '../apply/track-update.ts';
import { invalidValue } from '../field-cause.ts';
import { cloneJson, isJsonObject, type Json, type JsonObject } from '../json.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { applyMergePatch } from '../patch/merge-patch.ts';
import { MergeKeyError, PatchError } from '../patch/patch-error.ts';
import { applyStrategicPatch } from '../patch/strategic-merge-patch.ts';
import type { Resource } from '../resource.ts';
import { type Core, findStored, type Scope, viewOf, type WriteOptions } from './core.ts';
import { decodeObject, readJson } from './decode-body.ts';
import { alignName, alignNamespace, checkVersion } from './metadata.ts';
import { updateDecoded } from './update.ts';

type Patcher = (resource: Resource, target: JsonObject, patch: Json) => Json;

const patchers: Readonly<Record<string, Patcher>> = {
  'application/json-patch+json': (_resource, target, patch) => applyJsonPatch(target, patch),
  'application/merge-patch+json': (_resource, target, patch) => applyMergePatch(target, patch),
  'application/strategic-merge-patch+json': ({ schema }, target, patch) =>
    applyStrategicPatch(schema, target, patch as JsonObject),
};

export const applyPatchType = 'application/apply-patch+yaml';

/** Everything but server-side apply, which has a room of its own. */
export function patchObject(
  core: Core,
  scope: Scope,
  patch: { readonly text: string; readonly type: string },
  options: WriteOptions,
): ApiObject {
  const { resource } = scope;
  const patcher = patchers[patch.type];
  const isStrategic = patch.type === 'application/strategic-merge-patch+json';
  if (patcher === undefined) throw unsupportedPatch();
  if (isStrategic && resource.isCustom) throw unsupportedMediaType(customPatchTypes);
  const wishes = readPatch(patch);
  const stored = findStored(core, scope);
  if (stored === undefined) throw notFound(resource, scope.name);
  const old = viewOf(resource, stored);
  const patched = runPatch(() => patcher(resource, cloneJson(old), wishes));
  if (!isJsonObject(patched)) throw unprocessable(rejected);
  const object = decodePatched(resource, patched, patch.text, options);
  alignNamespace(object, scope);
  alignName(object, scope);
  checkVersion(object, old, scope);
  trackUpdate(core, scope, { object, old, manager: options.fieldManager });
  return updateDecoded(core, scope, { object, old }, options);
}

const customPatchTypes = [...Object.keys(patchers).slice(0, 2), applyPatchType];

const rejected = 'the server rejected our request due to an error in our request';

export function unsupportedPatch(): ApiError {
  return new ApiError({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: '415: Unsupported Media Type',
    details: {},
  });
}

function readPatch({ text, type }: { readonly text: string; readonly type: string }): Json {
  const patch = readJson(text);
  const wantsList = type === 'application/json-patch+json';
  if (wantsList ? Array.isArray(patch) : isJsonObject(patch)) return patch;
  throw badRequest(`error decoding patch: the body is not a ${wantsList ? 'list' : 'JSON object'}`);
}

function runPatch(patch: () => Json): Json {
  try {
    return patch();
  } catch (error) {
    if (error instanceof MergeKeyError) throw new ApiError({ code: 500, message: error.message });
    if (error instanceof PatchError) throw unprocessable(rejected);
    throw error;
  }
}

/** The real server blames the patch, not the object, for a field of the wrong type. */
function decodePatched(
  resource: Resource,
  patched: JsonObject,
  text: string,
  options: WriteOptions,
): ApiObject {
  try {
    return decodeObject(resource, patched, options);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 400) throw error;
    const why = error.message.replace(/^.* cannot be handled as a \w+: /, '');
    throw invalid({ group: '', kind: '' }, '', [invalidValue('patch', text, why)]);
  }
}
