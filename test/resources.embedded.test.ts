import { startApi } from '../lab/api/start-api.ts';
import { resourcesContract } from './resources.contract.ts';

resourcesContract('embedded API server', async () => {
  const api = await startApi();
  return { url: api.url, token: () => '', stop: () => api.stop() };
});
