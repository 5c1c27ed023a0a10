import { apiContract } from './api.contract.ts';
import { startApi } from './start-api.ts';

apiContract('embedded API server', async () => {
  const api = await startApi();
  return {
    url: api.url,
    token: () => '',
    compact: async () => api.store.compact(),
    stop: () => api.stop(),
  };
});
