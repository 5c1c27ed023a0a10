/** How names, labels and annotations must look (Kubernetes object names; RFC 1123 labels and subdomains). */

import { type FieldCause, invalidValue, tooLong } from '../field-cause.ts';

const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const qualifiedText =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const tooLongText = (most: number) => `must be no more than ${most} bytes`;

export function subdomainProblems(name: string): readonly string[] {
  return [
    ...(name.length > 253 ? [tooLongText(253)] : []),
    ...(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name)
      ? []
      : [subdomainText]),
  ];
}

export function labelProblems(name: string): readonly string[] {
  return [
    ...(name.length > 63 ? [tooLongText(63)] : []),
    ...(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name) ? [] : [labelText]),
  ];
}

/** Of Services: the first part of a host name. */
export function serviceNameProblems(name: string): readonly string[] {
  if (name.includes('.')) return ['must not contain dots'];
  return labelProblems(name).map((problem) => problem.replace(/bytes$/, 'characters'));
}

/** For kinds whose names only must fit a path: roles and bindings. */
export function pathSegmentProblems(name: string): readonly string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%']
    .filter((sign) => name.includes(sign))
    .map((sign) => `may not contain '${sign}'`);
}

/** `name` or `example.com/name`. */
export function qualifiedNameProblems(text: string): readonly string[] {
  const slash = text.indexOf('/');
  const name = text.slice(slash + 1);
  const prefix = slash < 0 ? [] : subdomainProblems(text.slice(0, slash));
  return [
    ...prefix.map((problem) => `prefix part ${problem}`),
    ...(name === '' ? ['name part must be non-empty'] : []),
    ...(name.length > 63 ? [`name part ${tooLongText(63)}`] : []),
    ...(/^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/.test(name) ? [] : [qualifiedText]),
  ];
}

export function labelsProblems(
  labels: Readonly<Record<string, string>>,
  field: string,
): readonly FieldCause[] {
  return Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedNameProblems(key).map((problem) => invalidValue(field, key, problem)),
    ...labelValueProblems(value).map((problem) => invalidValue(field, value, problem)),
  ]);
}

function labelValueProblems(value: string): readonly string[] {
  return [
    ...(value.length > 63 ? [tooLongText(63)] : []),
    ...(/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(value) ? [] : [labelValueText]),
  ];
}

const largestAnnotations = 256 * 1024;

export function annotationsProblems(
  annotations: Readonly<Record<string, string>>,
  field: string,
): readonly FieldCause[] {
  const entries = Object.entries(annotations);
  const size = entries.reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
  return [
    ...entries.flatMap(([key]) =>
      qualifiedNameProblems(key.toLowerCase()).map((problem) => invalidValue(field, key, problem)),
    ),
    ...(size > largestAnnotations ? [tooLong(field, largestAnnotations)] : []),
  ];
}
