/**
 * Writes built-in-types.txt from a Kubernetes module in the Go module cache: which fields each kind has, their types,
 * how lists and maps merge, and when a field is printed. Run by hand for a new Kubernetes release:
 *
 *   node lab/api/types/extract-types.ts ~/go/pkg/mod/k8s.io 1.36.3 > lab/api/types/built-in-types.txt
 */

import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GoField, readGoStructs } from './go-structs.ts';

interface OpenApiSchema {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly items?: OpenApiSchema;
  readonly additionalProperties?: OpenApiSchema;
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-patch-strategy'?: string;
}

const roots = [
  ...['Namespace', 'Node', 'Pod', 'Service', 'Endpoints', 'Secret', 'ConfigMap', 'ServiceAccount'],
  ...['Event', 'Binding'],
]
  .map((kind) => `core.v1.${kind}`)
  .concat(
    ...['Deployment', 'DaemonSet', 'ReplicaSet', 'StatefulSet', 'ControllerRevision'].map(
      (kind) => `apps.v1.${kind}`,
    ),
    ...['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'].map(
      (kind) => `rbac.v1.${kind}`,
    ),
    ...['PodDisruptionBudget', 'Eviction'].map((kind) => `policy.v1.${kind}`),
    ...['NetworkPolicy', 'IPAddress', 'ServiceCIDR'].map((kind) => `networking.v1.${kind}`),
    ...['SelfSubjectAccessReview', 'SubjectAccessReview'].map((kind) => `authorization.v1.${kind}`),
    ...['TokenRequest', 'TokenReview', 'SelfSubjectReview'].map(
      (kind) => `authentication.v1.${kind}`,
    ),
    ...['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'].map(
      (kind) => `admissionregistration.v1.${kind}`,
    ),
    ...['discovery.v1.EndpointSlice', 'events.v1.Event', 'coordination.v1.Lease'],
    ...['scheduling.v1.PriorityClass', 'autoscaling.v1.Scale'],
    ...['apiextensions.v1.CustomResourceDefinition', 'meta.v1.DeleteOptions', 'meta.v1.Status'],
  );

/** `io.k8s.api.core.v1.Pod` → `core.v1.Pod`, `io.k8s.apimachinery.pkg.apis.meta.v1.Time` → `meta.v1.Time`. */
function shorten(name: string): string {
  return name.split('.').slice(-3).join('.');
}

function readOpenApi(modules: string, version: string): Map<string, OpenApiSchema> {
  const directory = join(modules, `kubernetes@v${version}/api/openapi-spec/v3`);
  const schemas = new Map<string, OpenApiSchema>();
  for (const file of readdirSync(directory)) {
    const document = JSON.parse(readFileSync(join(directory, file), 'utf8')) as {
      components?: { schemas?: Record<string, OpenApiSchema> };
    };
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
      schemas.set(shorten(name), schema);
    }
  }
  return schemas;
}

function readGo(modules: string, version: string): Map<string, readonly GoField[]> {
  const minor = version.replace(/^1\./, '0.');
  const sources = [
    `api@v${minor}/*/v1/types.go`,
    `apimachinery@v${minor}/pkg/apis/meta/v1/types.go`,
    `apiextensions-apiserver@v${minor}/pkg/apis/apiextensions/v1/types*.go`,
  ];
  const files = sources.flatMap((pattern) => globSync(pattern, { cwd: modules }));
  return readGoStructs(
    files.map((file) => {
      const [group = '', api = ''] = file.split('/').slice(-3);
      return { prefix: `${group}.${api}`, text: readFileSync(join(modules, file), 'utf8') };
    }),
  );
}

function referenceOf(schema: OpenApiSchema): string | undefined {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  return reference === undefined ? undefined : shorten(reference.replace(/^.*\//, ''));
}

const scalars: Readonly<Record<string, string>> = {
  'string/date-time': 'string',
  'string/byte': 'bytes',
  'integer/int32': 'int32',
  'integer/int64': 'int64',
  'number/double': 'double',
};

function describeType(schema: OpenApiSchema): string {
  const reference = referenceOf(schema);
  if (reference !== undefined) return reference;
  if (schema.items !== undefined) return `[]${describeType(schema.items)}`;
  if (schema.additionalProperties !== undefined) {
    return `map[]${describeType(schema.additionalProperties)}`;
  }
  return scalars[`${schema.type}/${schema.format}`] ?? schema.type ?? 'any';
}

function describeMerging(schema: OpenApiSchema): string {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'];
  const mergeKey = schema['x-kubernetes-patch-merge-key'];
  const words = [
    listType === 'map' ? `map(${keys?.join(',')})` : listType,
    schema['x-kubernetes-map-type'] === 'atomic' ? 'atomic' : undefined,
    ...(schema['x-kubernetes-patch-strategy']?.split(',') ?? []).map((strategy) =>
      strategy === 'merge' && mergeKey !== undefined ? `merge(${mergeKey})` : strategy,
    ),
  ];
  return words.map((word) => (word === undefined ? '' : ` ${word}`)).join('');
}

/** Leaves out the defaults that only repeat a type's zero value. */
function describeDefault({ default: value }: OpenApiSchema): string {
  const isZero = value === undefined || value === '' || value === 0 || typeof value === 'object';
  return isZero ? '' : ` =${JSON.stringify(value)}`;
}

/** How a Go program prints the field: always, `?` unless zero, `*` a pointer unless nil, `!` a pointer always. */
function presenceOf(field: GoField | undefined, type: string, isStruct: boolean): string {
  if (field === undefined) return '?';
  if (field.isPointer) return field.omitsEmpty ? '*' : '!';
  const isTime = type === 'meta.v1.Time' || type === 'meta.v1.MicroTime';
  if (isStruct || isTime) return field.omitsZero ? '?' : '';
  return field.omitsEmpty ? '?' : '';
}

const schemas = readOpenApi(process.argv[2] ?? '', process.argv[3] ?? '');
const structs = readGo(process.argv[2] ?? '', process.argv[3] ?? '');

function describe(name: string, schema: OpenApiSchema): string {
  const goFields = new Map(structs.get(name)?.map((field) => [field.name, field]));
  const lines = Object.entries(schema.properties ?? {}).map(([field, property]) => {
    const type = describeType(property);
    const isStruct = schemas.get(type)?.properties !== undefined;
    const presence = presenceOf(goFields.get(field), type, isStruct);
    return `  ${field}${presence} ${type}${describeMerging(property)}${describeDefault(property)}\n`;
  });
  return `${name}${describeMerging(schema)}\n${lines.join('')}`;
}

const wanted = new Set(roots);
for (const name of wanted) {
  const schema = schemas.get(name);
  if (schema === undefined) throw new Error(`no schema for ${name}`);
  for (const text of describe(name, schema).matchAll(/(?:\w+\.)+[A-Z]\w*/g)) {
    if (schemas.has(text[0])) wanted.add(text[0]);
  }
}
process.stdout.write(
  [...wanted]
    .sort()
    .filter((name) => schemas.get(name)?.properties !== undefined)
    .map((name) => describe(name, schemas.get(name) ?? {}))
    .join(''),
);
