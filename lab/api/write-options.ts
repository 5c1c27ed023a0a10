import { type ApiError, invalid } from './api-error.ts';
import type { ApiRequest } from './api-request.ts';
import { type FieldCause, notSupported } from './field-cause.ts';
import { isTrue } from './request-info.ts';
import type { WriteOptions } from './rest/core.ts';
import { mediaType } from './rest/decode-body.ts';
import { applyPatchType } from './rest/patch.ts';

export function readWriteOptions(
  request: ApiRequest,
  query: URLSearchParams,
  user: string,
): WriteOptions {
  const isApply = mediaType(request.headers['content-type']) === applyPatchType;
  const named = query.get('fieldManager') ?? '';
  return {
    isDryRun: readDryRun(query.getAll('dryRun'), request.method),
    fieldManager: named === '' && !isApply ? managerOf(request.headers['user-agent']) : named,
    fieldValidation: readValidation(query.get('fieldValidation') ?? '', request.method),
    isForced: isTrue(query.get('force')),
    user,
    warnings: [],
  };
}

const optionKinds: Readonly<Record<string, string>> = {
  POST: 'CreateOptions',
  PUT: 'UpdateOptions',
  PATCH: 'PatchOptions',
};

function refused(method: string, cause: FieldCause): ApiError {
  return invalid({ group: 'meta.k8s.io', kind: optionKinds[method] ?? '' }, '', [cause]);
}

function readDryRun(values: readonly string[], method: string): boolean {
  if (values.some((value) => value !== 'All')) {
    throw refused(method, notSupported('dryRun', [...values], ['All']));
  }
  return values.length > 0;
}

function readValidation(value: string, method: string): WriteOptions['fieldValidation'] {
  if (value === '' || value === 'Warn') return 'Warn';
  if (value === 'Strict' || value === 'Ignore') return value;
  throw refused(method, notSupported('fieldValidation', value, ['', 'Ignore', 'Strict', 'Warn']));
}

/** Who does not name itself is known by its program. */
function managerOf(userAgent: string | undefined): string {
  const program = (userAgent ?? '').split('/')[0]?.slice(0, 128) ?? '';
  return program === '' ? 'unknown' : program;
}
