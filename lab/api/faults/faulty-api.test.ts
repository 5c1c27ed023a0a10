import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../src/runtime/manual-clock.ts';
import { Api } from '../api.ts';
import type { ApiRequest } from '../api-request.ts';
import { parseJson, textAt } from '../json.ts';
import type { FaultRule } from './fault.ts';
import { FaultyApi, type Outcome } from './faulty-api.ts';

function start(seed = 1) {
  const clock = new ManualClock();
  const api = new Api({ clock });
  const alice = api.authenticator.issue('alice');
  const faults = new FaultyApi(api, clock, seed);
  const ask = (method: string, url: string, body = '', token?: string) => {
    const authorization = token === undefined ? undefined : `Bearer ${token}`;
    const headers = { authorization, 'content-type': 'application/json' };
    return faults.exchange({ method, url, headers, body } satisfies ApiRequest);
  };
  return { clock, api, faults, ask, alice };
}

/** `200 ConfigMapList`, `429 Status`, `reset`, or `200 stream`. */
function brief(outcome: Outcome): string {
  if (outcome === 'reset') return outcome;
  const { status, body } = outcome;
  return `${status} ${typeof body === 'string' ? textAt(parseJson(body), 'kind') : 'stream'}`;
}

/** Everything that a stream writes, with `#end` or `#broken` at its close. */
function collect(outcome: Outcome) {
  assert.ok(outcome !== 'reset' && typeof outcome.body !== 'string');
  const read = { text: '', stop: () => {} };
  read.stop = outcome.body({
    write: (chunk) => {
      read.text += chunk;
    },
    end: () => {
      read.text += '#end';
    },
    destroy: () => {
      read.text += '#broken';
    },
  });
  return read;
}

const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string) => JSON.stringify({ metadata: { name } });

test('a rule hits the requests that it names, as often as it says', async () => {
  const { faults, ask, alice } = start();
  const rule: FaultRule = {
    match: { user: 'alice', verb: 'list', resource: 'configmaps' },
    fault: { kind: 'status', code: 429, retryAfterSeconds: 2 },
    after: 1,
    times: 2,
  };
  const handle = faults.add(rule);
  const outcomes: string[] = [];
  for (let count = 0; count < 4; count += 1) {
    outcomes.push(brief(await ask('GET', configMaps, '', alice)));
  }
  assert.deepEqual(outcomes, [
    '200 ConfigMapList',
    '429 Status',
    '429 Status',
    '200 ConfigMapList',
  ]);
  assert.equal(brief(await ask('GET', configMaps)), '200 ConfigMapList');
  assert.equal(handle.hits, 2);
});

test('a refusal says when to come again', async () => {
  const { faults, ask } = start();
  faults.add({ fault: { kind: 'status', code: 429, retryAfterSeconds: 2 } });
  const outcome = await ask('GET', configMaps);
  assert.ok(outcome !== 'reset');
  assert.equal(outcome.headers['retry-after'], '2');
});

test('chance repeats with its seed', async () => {
  const run = async (seed: number) => {
    const { faults, ask } = start(seed);
    faults.add({ fault: { kind: 'reset' }, probability: 0.5 });
    const outcomes: string[] = [];
    for (let count = 0; count < 20; count += 1) outcomes.push(brief(await ask('GET', configMaps)));
    return outcomes.map((outcome) => Number(outcome === 'reset')).join('');
  };
  assert.equal(await run(7), await run(7));
  assert.notEqual(await run(7), await run(8));
  assert.match(await run(7), /01|10/);
});

test('latency delays by the clock, and adds up', async () => {
  const { clock, faults, ask } = start();
  faults.add({ fault: { kind: 'latency', ms: 300 } });
  faults.add({ fault: { kind: 'latency', ms: 200 } });
  let outcome = 'nothing';
  const asked = ask('GET', configMaps).then((answer) => {
    outcome = brief(answer);
  });
  await clock.advance(499);
  assert.equal(outcome, 'nothing');
  await clock.advance(1);
  await asked;
  assert.equal(outcome, '200 ConfigMapList');
});

test('a lost answer was carried out, a reset was not', async () => {
  const { faults, ask } = start();
  const lost = faults.add({ match: { verb: 'create' }, fault: { kind: 'lost-answer' }, times: 1 });
  assert.equal(brief(await ask('POST', configMaps, configMap('a'))), 'reset');
  assert.equal(lost.hits, 1);
  assert.equal(brief(await ask('GET', `${configMaps}/a`)), '200 ConfigMap');
  faults.add({ match: { verb: 'create' }, fault: { kind: 'reset' }, times: 1 });
  assert.equal(brief(await ask('POST', configMaps, configMap('b'))), 'reset');
  assert.equal(brief(await ask('GET', `${configMaps}/b`)), '404 Status');
});

test('bodies are cut off, stop, or never come', async () => {
  const { faults, ask } = start();
  await ask('POST', configMaps, configMap('a'));
  const once = (rule: FaultRule['fault']) => faults.add({ fault: rule, times: 1 });
  once({ kind: 'cut-body', bytes: 10 });
  assert.equal(collect(await ask('GET', configMaps)).text, '{"kind":"C#broken');
  once({ kind: 'stall-body', bytes: 10 });
  assert.equal(collect(await ask('GET', configMaps)).text, '{"kind":"C');
  once({ kind: 'empty-body' });
  const empty = await ask('GET', `${configMaps}?watch=1`);
  assert.ok(empty !== 'reset');
  assert.equal(empty.body, '');
  once({ kind: 'hang' });
  const silent = Symbol('silent');
  const answer = await Promise.race([ask('GET', configMaps), Promise.resolve(silent)]);
  assert.equal(answer, silent);
});

test('a watch may begin with an error and stay open', async () => {
  const { faults, ask } = start();
  faults.add({ match: { verb: 'watch' }, fault: { kind: 'error-event', code: 500 } });
  const { text } = collect(await ask('GET', `${configMaps}?watch=1`));
  assert.match(text, /^\{"type":"ERROR","object":\{"kind":"Status".*"code":500\}\}\n$/);
});

test('open watches end, break, go silent, or say nonsense', async () => {
  const { faults, ask } = start();
  const open = async () => collect(await ask('GET', `${configMaps}?watch=1&resourceVersion=5`));
  const ended = await open();
  assert.equal(faults.breakWatches({ how: 'end' }), 1);
  assert.equal(ended.text, '#end');
  const broken = await open();
  faults.breakWatches({ how: 'reset' });
  assert.equal(broken.text, '#broken');
  const half = await open();
  faults.breakWatches({ how: 'half-line' });
  assert.equal(half.text, '{"type":"MODIFIED","object":{"kind":#broken');
  const silent = await open();
  const other = await open();
  assert.equal(faults.breakWatches({ how: 'stall' }, { resource: 'secrets' }), 0);
  faults.breakWatches({ how: 'stall' });
  await ask('POST', configMaps, configMap('a'));
  assert.equal(silent.text + other.text, '');
  const warned = await open();
  faults.breakWatches({ how: 'error', code: 410 });
  await ask('POST', configMaps, configMap('b'));
  assert.deepEqual(
    warned.text
      .trim()
      .split('\n')
      .map((line) => textAt(parseJson(line), 'type')),
    ['ADDED', 'ERROR', 'ADDED'],
  );
});

test('a pause holds requests and watches back, and loses nothing', async () => {
  const { faults, ask } = start();
  const watch = collect(await ask('GET', `${configMaps}?watch=1&resourceVersion=5`));
  faults.pause();
  const outcomes: string[] = [];
  const asked = ask('POST', configMaps, configMap('a')).then((answer) =>
    outcomes.push(brief(answer)),
  );
  await Promise.resolve();
  assert.deepEqual([outcomes.length, watch.text], [0, '']);
  faults.resume();
  await asked;
  assert.deepEqual(outcomes, ['201 ConfigMap']);
  assert.match(watch.text, /^\{"type":"ADDED"/);
});

test('a stopped watch is forgotten', async () => {
  const { faults, ask } = start();
  const watch = collect(await ask('GET', `${configMaps}?watch=1`));
  assert.equal(faults.openWatches, 1);
  watch.stop();
  assert.equal(faults.openWatches, 0);
});
