/**
 * Runs an embedded API server by hand: `node lab/api/serve.ts --port 6443 --tls --crds deploy/crds`, then
 * `kubectl --kubeconfig …` with the file that it names.
 */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import type { JsonObject } from './json.ts';
import { type RunningApi, startApi } from './start-api.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    host: { type: 'string', default: '127.0.0.1' },
    tls: { type: 'boolean', default: false },
    rbac: { type: 'boolean', default: false },
    faults: { type: 'boolean', default: false },
    controllers: { type: 'boolean', default: false },
    crds: { type: 'string' },
    kubeconfig: { type: 'string' },
  },
});

const say = (line: string) => process.stdout.write(`${line}\n`);

/** As an administrator would with kubectl; a definition that is refused is told and left out. */
function createCrds(running: RunningApi, directory: string): void {
  for (const file of globSync('*.yaml', { cwd: directory }).sort()) {
    const crd = parse(readFileSync(join(directory, file), 'utf8')) as JsonObject;
    const { status, body } = running.api.handle({
      method: 'POST',
      url: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      headers: { authorization: `Bearer ${running.adminToken}` },
      body: JSON.stringify(crd),
    });
    say(status === 201 ? `serving ${file}` : `refused ${file}: ${String(body)}`);
  }
}

const running = await startApi({
  port: Number(values.port),
  host: values.host,
  tls: values.tls,
  rbac: values.rbac,
  faultsEndpoint: values.faults,
  controllers: values.controllers,
});
if (values.crds !== undefined) createCrds(running, values.crds);
if (values.kubeconfig !== undefined) say(`kubeconfig ${running.kubeconfig(values.kubeconfig)}`);
say(`token ${running.adminToken}`);
say(running.url);

const stop = () => {
  void running.stop();
};
process.on('SIGINT', stop);
process.on('SIGTERM', stop);
