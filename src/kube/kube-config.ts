/** Reads kubeconfig: the parts that say where the API server is, who signed it and who we are to it. */

import { dirname, resolve } from 'node:path';
import { type Parsed, type Problem, problem } from '../model/parsed.ts';
import type { ApiServerConfig, TextSource } from './api-server-config.ts';

/** One file, taken apart as YAML or JSON. */
export interface KubeConfigFile {
  readonly path: string;
  readonly content: unknown;
}

export interface KubeConfigChoice {
  /** Instead of `current-context`. */
  readonly context?: string | undefined;
  /** Takes `insecure-skip-tls-verify` at its word, which is refused otherwise. */
  readonly isInsecureAllowed?: boolean | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

/** An entry of one of the lists, with the file it stands in: relative paths start there. */
interface Entry {
  readonly fields: Fields;
  readonly file: string;
  /** Field path, for problems. */
  readonly at: string;
}

/** Of several files the first that has an entry of the name wins, as with kubectl. */
export function parseKubeConfig(
  files: readonly KubeConfigFile[],
  { context: chosen, isInsecureAllowed = false }: KubeConfigChoice = {},
): Parsed<ApiServerConfig> {
  const name =
    chosen ?? files.map(({ content }) => textIn(content, 'current-context')).find(Boolean);
  if (name === undefined) {
    return problem('current-context', `is not set in ${namesOf(files)}: choose a context by name`);
  }
  const problems: Problem[] = [];
  const context = findEntry(files, 'context', name, problems);
  const cluster =
    context && findEntry(files, 'cluster', textOf(context, 'cluster') ?? '', problems);
  const userName = context && textOf(context, 'user');
  const user = userName === undefined ? undefined : findEntry(files, 'user', userName, problems);
  const config = {
    ...readCluster(cluster, isInsecureAllowed, problems),
    ...readUser(user, problems),
    ...optional('namespace', context && textOf(context, 'namespace')),
  };
  return problems.length > 0 ? { problems } : { value: config };
}

function readCluster(entry: Entry | undefined, isInsecureAllowed: boolean, problems: Problem[]) {
  if (entry === undefined) return { server: '' };
  const { at, fields } = entry;
  const server = textOf(entry, 'server') ?? '';
  if (!/^https?:\/\/[^/]/.test(server)) {
    problems.push({
      path: `${at}.server`,
      message: 'must be a URL such as https://192.0.2.1:6443',
    });
  }
  const isInsecure = fields['insecure-skip-tls-verify'] === true;
  if (isInsecure && !isInsecureAllowed) {
    const message = 'is refused: anybody on the way could take over; give the CA, or insist on it';
    problems.push({ path: `${at}.insecure-skip-tls-verify`, message });
  }
  refuse(entry, { 'proxy-url': 'proxies are not supported' }, problems);
  return {
    server,
    ...optional('ca', sourceOf(entry, 'certificate-authority', problems)),
    ...optional('serverName', textOf(entry, 'tls-server-name')),
    ...(isInsecure ? { isInsecure } : {}),
  };
}

/** What we cannot do must not be passed over: the server would see somebody else than the user meant. */
const unsupportedUserFields = {
  exec: 'credential plugins are not run; put a token here (kubectl create token), or go through kubectl proxy',
  'auth-provider': 'is long gone from Kubernetes; put a token or a client certificate here',
  username: 'is long gone from Kubernetes; put a token or a client certificate here',
  as: 'impersonation is not supported; give the credentials of that user',
};

function readUser(entry: Entry | undefined, problems: Problem[]) {
  if (entry === undefined) return {};
  refuse(entry, unsupportedUserFields, problems);
  const tokenFile = textOf(entry, 'tokenFile');
  const text = textOf(entry, 'token');
  const token = tokenFile === undefined ? text && { text } : { file: pathIn(entry, tokenFile) };
  const cert = sourceOf(entry, 'client-certificate', problems);
  const key = sourceOf(entry, 'client-key', problems);
  if ((cert === undefined) !== (key === undefined)) {
    const message = 'client certificate and client key only work together: give both';
    problems.push({ path: entry.at, message });
  }
  const clientCertificate = cert && key && { cert, key };
  return { ...optional('token', token), ...optional('clientCertificate', clientCertificate) };
}

function refuse(
  entry: Entry,
  reasons: Readonly<Record<string, string>>,
  problems: Problem[],
): void {
  for (const [field, message] of Object.entries(reasons)) {
    if (entry.fields[field] === undefined) continue;
    problems.push({ path: `${entry.at}.${field}`, message });
  }
}

/** `NAME-data` holds the text itself in base64 and wins over `NAME`, a file. */
function sourceOf(entry: Entry, name: string, problems: Problem[]): TextSource | undefined {
  const data = textOf(entry, `${name}-data`);
  const file = textOf(entry, name);
  if (data === undefined) return file === undefined ? undefined : { file: pathIn(entry, file) };
  const text = Buffer.from(data, 'base64').toString('utf8');
  if (!text.includes('-----BEGIN ')) {
    problems.push({ path: `${entry.at}.${name}-data`, message: 'must be PEM in base64' });
  }
  return { text };
}

function findEntry(
  files: readonly KubeConfigFile[],
  kind: 'context' | 'cluster' | 'user',
  name: string,
  problems: Problem[],
): Entry | undefined {
  for (const { path, content } of files) {
    const list = isFields(content) ? content[`${kind}s`] : undefined;
    const entries = Array.isArray(list) ? list.filter(isFields) : [];
    const fields = entries.find((entry) => textIn(entry, 'name') === name)?.[kind];
    if (isFields(fields)) return { fields, file: path, at: `${kind}s[${name}].${kind}` };
  }
  const message = `no ${kind} is called "${name}" in ${namesOf(files)}`;
  problems.push({ path: `${kind}s`, message });
  return undefined;
}

function pathIn({ file }: Entry, path: string): string {
  return resolve(dirname(file), path);
}

function textOf({ fields }: Entry, name: string): string | undefined {
  return textIn(fields, name);
}

function textIn(fields: unknown, name: string): string | undefined {
  const value = isFields(fields) ? fields[name] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function optional<K extends string, V>(name: K, value: V | undefined | ''): { [key in K]?: V } {
  return value === undefined || value === '' ? {} : ({ [name]: value } as { [key in K]: V });
}

function namesOf(files: readonly KubeConfigFile[]): string {
  return files.map(({ path }) => path).join(', ') || 'no file at all';
}
