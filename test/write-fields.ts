/** `node test/write-fields.ts`: writes the list of fields and the tables in the reference pages anew from the CRDs. */

import { readFileSync, writeFileSync } from 'node:fs';
import { fieldsOf, loadCrds } from './crd-fields.ts';
import { renderFieldTables } from './field-tables.ts';

const root = new URL('..', import.meta.url).pathname;
const fields = loadCrds().flatMap(fieldsOf);
const lines = fields.map((field) => JSON.stringify(field));
writeFileSync(`${root}test/fixtures/fields.jsonl`, `${lines.join('\n')}\n`);
for (const page of ['servicegroup', 'lbnodeagent', 'bgpconfiguration']) {
  const path = `${root}docs/reference/${page}.md`;
  writeFileSync(path, renderFieldTables(readFileSync(path, 'utf8'), fields));
}
