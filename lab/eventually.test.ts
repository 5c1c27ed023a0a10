import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './eventually.ts';

test('resolves to what the first check returns that does not throw', async () => {
  let tries = 0;
  const value = await eventually(
    () => {
      tries += 1;
      assert.equal(tries, 3);
      return 'there';
    },
    { withinMs: 1000, everyMs: 1 },
  );
  assert.deepEqual([value, tries], ['there', 3]);
});

test('says what was last seen when the time is up', async () => {
  let seen = 0;
  const waiting = eventually(
    () => {
      seen += 1;
      throw new Error(`holder is node${seen}`);
    },
    { withinMs: 20, everyMs: 5 },
  );
  await assert.rejects(waiting, (error: Error) => {
    assert.match(error.message, /^not within \d+ ms \(\d+ tries\); last seen: holder is node\d+$/);
    assert.match(error.message, new RegExp(`node${seen}$`));
    return true;
  });
});

test('a check that hangs does not hide what the one before saw', async () => {
  let tries = 0;
  const waiting = eventually(
    (signal) => {
      tries += 1;
      if (tries === 1) throw new Error('nobody answered');
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('aborted')));
      });
    },
    { withinMs: 20, everyMs: 1 },
  );
  await assert.rejects(waiting, /\(2 tries\); last seen: nobody answered$/);
});
