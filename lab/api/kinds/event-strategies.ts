/** Events have two faces, `v1` and `events.k8s.io/v1`, and one storage: the older form. */

import type { ApiObject } from '../api-object.ts';
import { type FieldCause, invalidValue, required } from '../field-cause.ts';
import { equalJson, textAt } from '../json.ts';
import type { Strategy } from '../resource.ts';

/** The same field in the newer and in the older form. */
const renamed: readonly (readonly [newer: string, older: string])[] = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
  ['reportingController', 'reportingComponent'],
];

/** Fields that the older form always prints and the newer one only when set. */
const emptyUnlessSet = ['regarding', 'reportingController', 'reportingInstance'];

function rename(event: ApiObject, apiVersion: string, pairs: readonly (readonly string[])[]) {
  const names = new Map(pairs.map(([from = '', to = '']) => [from, to]));
  const entries = Object.entries(event).map(([name, value]) => [names.get(name) ?? name, value]);
  return { ...Object.fromEntries(entries), apiVersion } as ApiObject;
}

function toNewer(event: ApiObject): ApiObject {
  const pairs = renamed.map(([newer, older]) => [older, newer]);
  const newer = rename(event, 'events.k8s.io/v1', pairs);
  for (const field of emptyUnlessSet) {
    if (newer[field] === '' || equalJson(newer[field], {})) delete newer[field];
  }
  return newer;
}

function toOlder(event: ApiObject): ApiObject {
  const older = rename(event, 'v1', renamed);
  older['involvedObject'] ??= {};
  older['reportingComponent'] ??= '';
  older['reportingInstance'] ??= '';
  return older;
}

/** The object that an event is about lives in the event's namespace; what has none is reported in `default`. */
function validatePlace(event: ApiObject, about: string): readonly FieldCause[] {
  const namespace = textAt(event, about, 'namespace');
  const own = event.metadata.namespace ?? '';
  const isClusterWide = namespace === '' && (own === 'default' || own === 'kube-system');
  if (namespace === own || isClusterWide) return [];
  // The words are those of the older form, whichever was written.
  const field = 'involvedObject.namespace';
  return [invalidValue(field, namespace, 'does not match event.namespace')];
}

export const coreEventStrategy: Strategy = {
  validate: (event) => validatePlace(event, 'involvedObject'),
};

const fixedFields: readonly (readonly [newer: string, field: string])[] = [
  ['regarding', 'involvedObject'],
  ['reason', 'reason'],
  ['note', 'message'],
  ['type', 'type'],
  ['eventTime', 'eventTime'],
  ['action', 'action'],
  ['related', 'related'],
  ['reportingController', 'reportingController'],
  ['reportingInstance', 'reportingInstance'],
];

export const newEventStrategy: Strategy = {
  fromStorage: toNewer,
  toStorage: toOlder,
  validate: (event, old) => [
    ...validatePlace(event, 'regarding'),
    ...(old === undefined ? validateNewEvent(event) : validateUnchanged(event, old)),
  ],
};

/** A series counts on; what happened does not change. */
function validateUnchanged(event: ApiObject, old: ApiObject): readonly FieldCause[] {
  if (old['eventTime'] === null) return [];
  return fixedFields.flatMap(([newer, field]) =>
    equalJson(event[newer], old[newer])
      ? []
      : [invalidValue(field, event[newer], 'field is immutable')],
  );
}

function validateNewEvent(event: ApiObject): readonly FieldCause[] {
  const type = textAt(event, 'type');
  const controller = textAt(event, 'reportingController');
  const need = (field: string, shown = field) =>
    textAt(event, field) === '' ? [required(shown, '')] : [];
  return [
    ...need('eventTime'),
    ...(event['eventTime'] === null || controller !== ''
      ? []
      : [required('reportingController', '')]),
    ...(event['eventTime'] === null
      ? []
      : [...need('reportingInstance'), ...need('action'), ...need('reason')]),
    ...(type === 'Normal' || type === 'Warning'
      ? []
      : [invalidValue('type', type, `has invalid value: ${type}`)]),
  ];
}
