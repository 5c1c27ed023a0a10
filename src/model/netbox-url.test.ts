import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseNetboxUrl } from './netbox-url.ts';
import { isProblem } from './parsed.ts';

test('every sensible way to write it means the same', () => {
  for (const text of [
    'https://netbox.example',
    'https://netbox.example/',
    'https://netbox.example/api',
    'https://netbox.example/api/',
    'HTTPS://Netbox.Example:443/api//',
    ' https://netbox.example/ ',
  ]) {
    assert.deepEqual(parseNetboxUrl(text), { value: 'https://netbox.example' }, text);
  }
});

test('port and base path are kept, and only a last /api is taken off', () => {
  const rows = [
    ['http://192.0.2.7:8000/api/', 'http://192.0.2.7:8000'],
    ['http://[2001:db8::7]:8000', 'http://[2001:db8::7]:8000'],
    ['https://tools.example/netbox/api/', 'https://tools.example/netbox'],
    ['https://tools.example/api/netbox', 'https://tools.example/api/netbox'],
    ['https://tools.example/apiary', 'https://tools.example/apiary'],
  ] as const;
  for (const [text, value] of rows) assert.deepEqual(parseNetboxUrl(text), { value }, text);
});

test('what is no URL of a Netbox is refused with what to write', () => {
  const rows = [
    ['netbox.example', '"netbox.example" is not a URL: did you mean https://netbox.example?'],
    [
      'netbox.example/api',
      '"netbox.example/api" is not a URL: did you mean https://netbox.example?',
    ],
    ['', '"" is not a URL such as https://netbox.example'],
    ['ftp://netbox.example', '"ftp://netbox.example" is not a URL such as https://netbox.example'],
    [
      'https://a:b@netbox.example',
      'leave out user and password: the token comes from tokenSecretRef',
    ],
    [
      'https://netbox.example/?x=1#y',
      '"https://netbox.example/?x=1#y" has more than a path: write https://netbox.example',
    ],
  ] as const;
  for (const [text, message] of rows) {
    assert.deepEqual(parseNetboxUrl(text, 'p'), { problems: [{ path: 'p', message }] }, text);
  }
});

test('any text is read or refused, and what was read is read again as itself', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.webUrl(),
    fc.string({ unit: fc.constantFrom(...'htps:/.@api?#0[]') }).map((tail) => `https://${tail}`),
  );
  fc.assert(
    fc.property(text, (written) => {
      const parsed = parseNetboxUrl(written);
      if (!isProblem(parsed) && !parsed.value.endsWith('/api')) {
        assert.deepEqual(parseNetboxUrl(parsed.value), parsed);
      }
    }),
  );
});
