/** The query of a list or a watch, and which combinations make no sense. */

import { ApiError, badRequest, invalid } from '../api-error.ts';
import { type FieldCause, forbiddenField, notSupported } from '../field-cause.ts';
import { isTrue } from '../request-info.ts';

export interface ListOptions {
  /** `''` the latest, `0` any. */
  readonly resourceVersion: string;
  readonly match: string;
  readonly limit: number;
  readonly continueFrom: string;
  readonly sendsInitialEvents: boolean | undefined;
  readonly allowsBookmarks: boolean;
  readonly timeoutSeconds: number | undefined;
}

export function readListOptions(query: URLSearchParams, isWatch: boolean): ListOptions {
  const initial = query.get('sendInitialEvents');
  const timeout = query.get('timeoutSeconds');
  const options: ListOptions = {
    resourceVersion: query.get('resourceVersion') ?? '',
    match: query.get('resourceVersionMatch') ?? '',
    limit: Math.max(0, readInteger(query.get('limit') ?? '0')),
    continueFrom: query.get('continue') ?? '',
    sendsInitialEvents: initial === null ? undefined : isTrue(initial),
    allowsBookmarks: isTrue(query.get('allowWatchBookmarks')),
    timeoutSeconds: timeout === null ? undefined : readInteger(timeout),
  };
  const causes = isWatch ? checkWatch(options) : checkList(options);
  if (causes.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', causes);
  return options;
}

function readInteger(text: string): number {
  if (/^-?\d+$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

const matchField = 'resourceVersionMatch';

function checkWatch({ sendsInitialEvents, match }: ListOptions): readonly FieldCause[] {
  if (sendsInitialEvents === undefined) {
    return match === ''
      ? []
      : [
          forbiddenField(
            matchField,
            'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
          ),
        ];
  }
  if (match === 'NotOlderThan') return [];
  return [
    forbiddenField(
      matchField,
      'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    ),
  ];
}

function checkList(options: ListOptions): readonly FieldCause[] {
  const causes: FieldCause[] = [];
  if (options.sendsInitialEvents !== undefined) {
    causes.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  if (options.match !== '') causes.push(...checkMatch(options));
  return causes;
}

function checkMatch({ match, resourceVersion, continueFrom }: ListOptions): readonly FieldCause[] {
  const problem = (detail: string) => [forbiddenField(matchField, detail)];
  if (continueFrom !== '') {
    return problem('resourceVersionMatch is forbidden when continue is provided');
  }
  if (resourceVersion === '') {
    return problem('resourceVersionMatch is forbidden unless resourceVersion is provided');
  }
  if (match !== 'Exact' && match !== 'NotOlderThan') {
    return [notSupported(matchField, match, ['Exact', 'NotOlderThan', ''])];
  }
  if (match === 'Exact' && resourceVersion === '0') {
    return problem('resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  }
  return [];
}

/** The real server answers 500 here, not 400. */
export function parseRevision(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new ApiError({
    code: 500,
    message: `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
  });
}
