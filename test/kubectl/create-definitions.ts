import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const directory = join(import.meta.dirname, '../../deploy/crds');

/** PureLB's own kinds, as an administrator would create them. */
export async function createDefinitions(
  post: (path: string, body: unknown) => Promise<number>,
): Promise<void> {
  for (const file of globSync('*.yaml', { cwd: directory }).sort()) {
    const body = parse(readFileSync(join(directory, file), 'utf8')) as unknown;
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    assert.equal(await post(path, body), 201, file);
  }
}
