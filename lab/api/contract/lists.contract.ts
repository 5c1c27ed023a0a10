import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../eventually.ts';
import { textAt } from '../json.ts';
import type { World } from './contract-world.ts';
import { at, message, namesOf, outcome, versionOf } from './look.ts';

/** Reading many objects: by namespace, by selector, by page, as of a revision. */
export function listsContract(world: World): void {
  const fill = async (...names: readonly string[]) => {
    const namespace = await world.namespace();
    const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
    for (const name of names) {
      const labels = { app: name, parity: names.indexOf(name) % 2 === 0 ? 'even' : 'odd' };
      await world.admin.post(configMaps, { metadata: { name, labels } });
    }
    return configMaps;
  };

  test('a list names its kind, its items do not', async () => {
    const { body } = await world.admin.get(await fill('b', 'a'));
    assert.equal(at(body, 'kind'), 'ConfigMapList');
    assert.equal(at(body, 'items.0.metadata.name'), 'a');
    assert.equal(at(body, 'items.0.kind'), undefined);
    assert.match(textAt(body, 'metadata', 'resourceVersion'), /^\d+$/);
  });

  test('label selectors', async () => {
    const configMaps = await fill('a', 'b', 'c');
    const select = async (selector: string) =>
      namesOf(
        await world.admin.get(`${configMaps}?labelSelector=${encodeURIComponent(selector)}`),
      ).join('');
    assert.equal(await select('app=a'), 'a');
    assert.equal(await select('app==a'), 'a');
    assert.equal(await select('app!=a'), 'bc');
    assert.equal(await select('app in (a, b)'), 'ab');
    assert.equal(await select('app notin (a,b)'), 'c');
    assert.equal(await select('parity'), 'abc');
    assert.equal(await select('!parity'), '');
    assert.equal(await select('parity=even,app!=a'), 'c');
    const odd = await world.admin.get(`${configMaps}?labelSelector=a%20b`);
    assert.equal(outcome(odd), '400 BadRequest');
  });

  test('field selectors', async () => {
    const configMaps = await fill('a', 'b');
    const named = await world.admin.get(`${configMaps}?fieldSelector=metadata.name%3Db`);
    assert.deepEqual(namesOf(named), ['b']);
    const others = await world.admin.get(`${configMaps}?fieldSelector=metadata.name!%3Db`);
    assert.ok(!namesOf(others).includes('b'));
    const unknown = await world.admin.get(`${configMaps}?fieldSelector=data.a%3Db`);
    assert.equal(outcome(unknown), '400 BadRequest');
    assert.equal(
      message(unknown),
      '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"',
    );
    const service = await world.admin.get('/api/v1/services?fieldSelector=spec.colour%3Dred');
    assert.equal(message(service), 'field label not supported: spec.colour');
  });

  test('pages show the state of the first page, whatever happens between them', async () => {
    const configMaps = await fill('a', 'b', 'c', 'd');
    const pages: string[] = [];
    let token = '';
    do {
      const page = await world.admin.get(`${configMaps}?limit=2&continue=${token}`);
      pages.push(
        namesOf(page)
          .filter((name) => name.length === 1)
          .join(''),
      );
      token = textAt(page.body, 'metadata', 'continue');
      if (pages.length === 1) {
        assert.equal(typeof at(page.body, 'metadata.remainingItemCount'), 'number');
        await world.admin.delete(`${configMaps}/d`);
        await world.admin.post(configMaps, { metadata: { name: 'e' } });
      }
    } while (token !== '');
    assert.equal(pages.join(''), 'abcd');
    assert.equal(namesOf(await world.admin.get(configMaps)).join(''), 'abce');
  });

  test('a page that starts from a forgotten revision has expired', async (t) => {
    const configMaps = await fill('a', 'b', 'c');
    const first = await world.admin.get(`${configMaps}?limit=1`);
    const token = textAt(first.body, 'metadata', 'continue');
    await world.admin.delete(`${configMaps}/a`);
    if (!(await world.compact(t))) return;
    const next = await world.admin.get(`${configMaps}?limit=1&continue=${token}`);
    assert.equal(outcome(next), '410 Expired');
    const inconsistent = textAt(next.body, 'metadata', 'continue');
    const rest = await world.admin.get(`${configMaps}?continue=${inconsistent}`);
    assert.deepEqual(namesOf(rest), ['b', 'c']);
  });

  test('from the cache the whole list comes, whatever the limit', async () => {
    const configMaps = await fill('a', 'b', 'c');
    // A cache hears of what was written a moment later.
    await eventually(
      async () => {
        const cached = await world.admin.get(`${configMaps}?limit=1&resourceVersion=0`);
        assert.equal(namesOf(cached).join(''), 'abc');
        assert.equal(at(cached.body, 'metadata.continue'), undefined);
      },
      { withinMs: 10_000 },
    );
  });

  test('an exact revision shows the past, a minimum the present', async () => {
    const configMaps = await fill('a');
    const before = versionOf(await world.admin.get(configMaps));
    await world.admin.post(configMaps, { metadata: { name: 'b' } });
    const list = async (match: string) =>
      namesOf(
        await world.admin.get(
          `${configMaps}?resourceVersion=${before}&resourceVersionMatch=${match}`,
        ),
      ).join('');
    assert.equal(await list('Exact'), 'a');
    // From a cache, which may be a moment behind.
    await eventually(async () => assert.equal(await list('NotOlderThan'), 'ab'), {
      withinMs: 10_000,
    });
  });

  test('an exact revision that is forgotten has expired', async (t) => {
    const configMaps = await fill('a');
    const before = versionOf(await world.admin.get(configMaps));
    await world.admin.post(configMaps, { metadata: { name: 'b' } });
    if (!(await world.compact(t))) return;
    const past = await world.admin.get(
      `${configMaps}?resourceVersion=${before}&resourceVersionMatch=Exact`,
    );
    assert.equal(outcome(past), '410 Expired');
  });

  test('combinations that make no sense are refused', async () => {
    const configMaps = await fill('a');
    const ask = async (query: string) => outcome(await world.admin.get(`${configMaps}?${query}`));
    assert.equal(await ask('resourceVersionMatch=Exact'), '422 Invalid');
    assert.equal(await ask('resourceVersionMatch=Exact&resourceVersion=0'), '422 Invalid');
    assert.equal(await ask('resourceVersionMatch=Some&resourceVersion=1'), '422 Invalid');
    assert.equal(await ask('continue=nonsense'), '400 BadRequest');
    assert.equal(await ask('watch=1&sendInitialEvents=true'), '422 Invalid');
  });

  test('a revision from the future cannot be shown', async () => {
    const future = await world.admin.get(`${await fill('a')}?resourceVersion=99999999`);
    assert.equal(outcome(future), '504 Timeout');
    assert.equal(at(future.body, 'details.causes.0.reason'), 'ResourceVersionTooLarge');
  });
}
