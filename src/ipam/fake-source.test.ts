import { ipOf } from '../model/ip.ts';
import { rangeOf } from '../model/range.ts';
import { testAddressSource } from './address-source.contract.ts';
import { FakeBooks, FakeSource } from './fake-source.ts';

testAddressSource('the fake', async () => {
  const books = new FakeBooks(['203.0.113.1-203.0.113.4', '2001:db8::1-2001:db8::3'].map(rangeOf));
  const v4 = [1, 2, 3, 4].map((host) => ipOf(`203.0.113.${host}`));
  const v6 = [1, 2, 3].map((host) => ipOf(`2001:db8::${host}`));
  return {
    source: new FakeSource(books),
    pool: 'ext',
    addresses: [...v4, ...v6],
    takesWishes: true,
    close: async () => {},
  };
});
