import { apiContract } from './api.contract.ts';
import { contractUsers } from './contract/contract-server.ts';
import { startApi } from './start-api.ts';

apiContract('embedded API server', async () => {
  const tokens = Object.entries(contractUsers).map(([user, groups]) => [user, { user, groups }]);
  const api = await startApi({ rbac: true, tokens: Object.fromEntries(tokens) });
  return {
    url: api.url,
    token: (user) => user,
    compact: async () => api.store.compact(),
    stop: () => api.stop(),
  };
});
