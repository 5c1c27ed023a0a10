/** From a request's text to an object of the kind that the path asks for, with its defaults filled in. */

import { parse as parseYaml } from 'yaml';
import { type ApiError, badRequest, invalid, unsupportedMediaType } from '../api-error.ts';
import type { ApiObject } from '../api-object.ts';
import { invalidValue } from '../field-cause.ts';
import { isJsonObject, type Json, type JsonObject, parseJson, textAt } from '../json.ts';
import { apiVersionOf, type Resource } from '../resource.ts';
import { DecodeError } from '../types/decode-error.ts';
import { decodeTyped } from '../types/decode-typed.ts';
import type { WriteOptions } from './core.ts';

const bodyTypes = ['application/json', 'application/yaml'];

/** The media type without its parameters; JSON when the client says nothing. */
export function mediaType(header: string | undefined): string {
  return (header ?? 'application/json').split(';')[0]?.trim().toLowerCase() ?? '';
}

export function parseBody(text: string, contentType: string): JsonObject {
  if (!bodyTypes.includes(contentType)) {
    throw unsupportedMediaType([...bodyTypes, 'application/vnd.kubernetes.protobuf']);
  }
  return expectObject(contentType === 'application/yaml' ? readYaml(text) : readJson(text));
}

export function readJson(text: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    throw badRequest(`the object provided is unrecognized: ${(error as Error).message}`);
  }
}

export function readYaml(text: string): Json {
  try {
    return text.trimStart().startsWith('{')
      ? parseJson(text)
      : (parseYaml(text, { version: '1.1' }) as Json);
  } catch (error) {
    throw badRequest(`error decoding YAML: ${(error as Error).message}`);
  }
}

export function expectObject(value: Json): JsonObject {
  if (isJsonObject(value)) return value;
  throw badRequest('the object provided is unrecognized: not a JSON object');
}

export function decodeBody(resource: Resource, body: JsonObject, options: WriteOptions): ApiObject {
  checkKind(resource, body);
  return decodeObject(resource, body, options);
}

/** Also for objects that a patch has made out of stored ones. */
export function decodeObject(
  resource: Resource,
  body: JsonObject,
  options: WriteOptions,
): ApiObject {
  const { value, unknown } = readFields(resource, body, options);
  reportUnknown(resource, unknown, options);
  const object = value as ApiObject;
  object.apiVersion = apiVersionOf(resource);
  object.kind = resource.kind;
  object.metadata ??= {};
  resource.strategy.setDefaults?.(object);
  return object;
}

function readFields(resource: Resource, body: JsonObject, { keepsNulls = false }: WriteOptions) {
  try {
    const decode = resource.strategy.decode ?? ((value) => decodeTyped(resource.schema, value));
    return decode(body, keepsNulls);
  } catch (error) {
    if (error instanceof DecodeError) throw unreadable(resource, error.message);
    throw error;
  }
}

function unreadable({ kind, version }: Resource, why: string): ApiError {
  return badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${why}`);
}

/** Kind and version may be left out, but must not contradict the path. */
function checkKind(resource: Resource, body: JsonObject): void {
  const expected = apiVersionOf(resource);
  const [apiVersion, kind] = [textAt(body, 'apiVersion'), textAt(body, 'kind')];
  if (resource.isCustom && kind === '') {
    throw badRequest(
      `the object provided is unrecognized (must be of type ${resource.kind}): Object 'Kind' is missing`,
    );
  }
  if (kind !== '' && kind !== resource.kind) throw wrongKind(resource, body);
  if (apiVersion !== '' && apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  }
}

function wrongKind(resource: Resource, body: JsonObject): ApiError {
  const [apiVersion, kind] = [textAt(body, 'apiVersion'), textAt(body, 'kind')];
  if (resource.isCustom && apiVersion === apiVersionOf(resource)) {
    const cause = invalidValue('kind', kind, `must be ${resource.kind}`);
    return invalid({ group: resource.group, kind }, textAt(body, 'metadata', 'name'), [cause]);
  }
  return badRequest(
    `${kind} in version "${apiVersion}" cannot be handled as a ${resource.kind}: unknown conversion`,
  );
}

function reportUnknown(
  resource: Resource,
  unknown: readonly string[],
  { fieldValidation, warnings }: WriteOptions,
): void {
  if (unknown.length === 0 || fieldValidation === 'Ignore') return;
  const problems = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
  if (fieldValidation === 'Strict') {
    throw unreadable(resource, `strict decoding error: ${problems.join(', ')}`);
  }
  warnings.push(...problems);
}
