import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parse } from 'yaml';
import {
  formerAnnotations,
  leaseAnnotations,
  podAnnotations,
  requestAnnotations,
  resultAnnotations,
  routeAnnotations,
} from '../src/model/annotations.ts';
import type { Reading } from '../src/model/cursor.ts';
import type { KubeObject } from '../src/model/kube-object.ts';
import { must, problemsOf } from '../src/model/parsed.ts';
import { readBgpConfiguration } from '../src/model/read-bgp-configuration.ts';
import { readNodeAgent } from '../src/model/read-node-agent.ts';
import { readService } from '../src/model/read-service.ts';
import { readServiceGroup } from '../src/model/read-service-group.ts';
import { type Field, fieldsOf, loadCrds, withDefaults } from './crd-fields.ts';
import { coveredFields, renderFieldTables } from './field-tables.ts';
import { recordReads, sampleSpec } from './recorded-object.ts';
import { verdicts } from './resource-verdicts.ts';

const root = new URL('..', import.meta.url).pathname;
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');
const crds = loadCrds();
const fields = crds.flatMap(fieldsOf);
const pages = ['servicegroup', 'lbnodeagent', 'bgpconfiguration', 'annotations'].map(
  (name) => `docs/reference/${name}.md`,
);

const readers: Readonly<Record<string, (object: KubeObject) => Reading<unknown>>> = {
  ServiceGroup: readServiceGroup,
  LBNodeAgent: readNodeAgent,
  BGPConfiguration: readBgpConfiguration,
  Service: readService,
};

function readAny(object: KubeObject): Reading<unknown> {
  const reader = readers[object.kind ?? ''];
  assert.ok(reader !== undefined, `no reader for ${object.kind}`);
  return reader(object);
}

test('the list of fields is that of the CRDs', () => {
  const listed = read('test/fixtures/fields.jsonl').trimEnd().split('\n');
  const advice = 'node test/write-fields.ts writes it anew';
  assert.deepEqual(
    listed.map((line) => JSON.parse(line) as Field),
    fields,
    advice,
  );
  for (const { kind, path, about } of fields)
    assert.match(about, /^\W?[A-Z`].*\.$/, `${kind} ${path}`);
});

test('both versions have every field, and differ in three defaults alone', () => {
  for (const { kind, versions } of crds) {
    const names = versions.map(({ name }) => name).sort();
    const lacking = fields.filter(
      (field) => field.kind === kind && field.versions.length !== names.length,
    );
    assert.deepEqual(lacking, []);
  }
  const isOdd = ({ default: defaults, versions }: Field) => {
    const values = versions.map((version) => JSON.stringify(defaults[version]));
    return new Set(values).size > 1;
  };
  assert.deepEqual(
    fields.filter(isOdd).map(({ kind, path, default: defaults }) => ({ kind, path, defaults })),
    [
      { kind: 'LBNodeAgent', path: 'spec.local.localInterface', defaults: { v2: 'default' } },
      { kind: 'LBNodeAgent', path: 'spec.local.dummyInterface', defaults: { v2: 'kube-lb0' } },
      { kind: 'ServiceGroup', path: 'spec.announce', defaults: { v1: 'auto', v2: 'local' } },
    ],
  );
});

test('the reference pages have a row for each field, as the CRDs say it', () => {
  for (const page of pages) {
    assert.equal(
      read(page),
      renderFieldTables(read(page), fields),
      `${page}: node test/write-fields.ts`,
    );
  }
  const key = ({ kind, path }: Field) => `${kind} ${path}`;
  const covered = pages.flatMap((page) => coveredFields(read(page), fields));
  assert.deepEqual(covered.map(key).sort(), fields.map(key).sort());
});

test('readers ask for every field of the CRDs, and for no other', () => {
  const variants: Readonly<Record<string, readonly string[]>> = {
    ServiceGroup: ['local', 'remote', 'netbox', 'external', 'pool'],
    LBNodeAgent: [''],
    BGPConfiguration: [''],
  };
  for (const [kind, sources] of Object.entries(variants)) {
    const own = fields.filter((field) => field.kind === kind && field.path.startsWith('spec.'));
    const asked = new Set<string>();
    for (const source of sources) {
      const { object, reads } = recordReads({
        apiVersion: 'x/v2',
        kind,
        metadata: { name: 'x' },
        spec: sampleSpec(own, source),
      });
      const { warnings } = readAny(object as unknown as KubeObject);
      assert.deepEqual(
        warnings.filter(({ message }) => message.includes('not a field that we know')),
        [],
      );
      for (const path of reads) if (path.startsWith('spec.')) asked.add(path);
    }
    assert.deepEqual([...asked].sort(), own.map(({ path }) => path).sort(), kind);
  }
});

test('what the API server fills in is what the readers take for absent', () => {
  for (const { yaml, problems } of verdicts) {
    const object: KubeObject = parse(yaml);
    const [group, version] = (object.apiVersion ?? '').split('/');
    const crd = crds.find((one) => one.group === group && one.kind === object.kind);
    const schema = crd?.versions.find(({ name }) => name === version)?.schema;
    if (schema === undefined || problems.length > 0) continue;
    const completed = withDefaults(schema, object) as KubeObject;
    assert.deepEqual(readAny(completed), readAny(object));
  }
});

for (const { name, yaml, problems } of verdicts) {
  test(`the reader's verdict on ${name}`, () => {
    const reading = readAny(parse(yaml));
    const found = problemsOf(reading).map(({ path, message }) => `${path}: ${message}`);
    assert.deepEqual(found, problems);
    assert.deepEqual(
      reading.warnings.filter(({ message }) => message.includes('not a field that we know')),
      [],
    );
  });
}

test('every example in the reference pages is read without a word', () => {
  const blocks = pages.flatMap((page) =>
    [...read(page).matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map((match) => ({
      page,
      object: parse(match[1] ?? '') as KubeObject,
    })),
  );
  assert.ok(blocks.length > 8);
  for (const { page, object } of blocks) {
    const { problems, warnings } = { problems: [], ...readAny(object) };
    assert.deepEqual({ problems, warnings }, { problems: [], warnings: [] }, page);
  }
});

test('the page of annotations names each of them, and no other', () => {
  const known = [
    requestAnnotations,
    routeAnnotations,
    resultAnnotations,
    formerAnnotations,
    leaseAnnotations,
    podAnnotations,
  ].flatMap((group) => Object.values(group));
  const named = [
    ...read('docs/reference/annotations.md').matchAll(/`((?:bgp\.)?purelb\.io\/[\w-]+)`/g),
  ].map((match) => match[1] ?? '');
  const classes = ['purelb.io/purelb', 'purelb.io/purelbv2'];
  assert.deepEqual(new Set(named), new Set([...known, ...classes]));
});

test('an object written as v1 means the same when it is read as v2', () => {
  for (const { yaml, problems } of verdicts) {
    const written: KubeObject = parse(yaml);
    const crd = crds.find(({ kind }) => kind === written.kind);
    const [v1, v2] = ['v1', 'v2'].map((name) => crd?.versions.find((one) => one.name === name));
    if (written.apiVersion !== 'purelb.io/v1' || v1 === undefined || v2 === undefined) continue;
    if (problems.length > 0) continue;
    const stored = {
      ...(withDefaults(v1.schema, written) as KubeObject),
      apiVersion: 'purelb.io/v2',
    };
    const asV2 = withDefaults(v2.schema, stored) as KubeObject;
    assert.deepEqual(must(readAny(asV2)), must(readAny(written)));
  }
});
