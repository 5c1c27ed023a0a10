import { startApi } from '../../lab/api/start-api.ts';
import { clusterContract } from './cluster.contract.ts';

clusterContract('the embedded API server', async () => {
  const api = await startApi({ tls: true });
  const config = {
    server: api.url,
    ca: { text: api.ca ?? '' },
    token: { text: api.adminToken },
  };
  return { config, stop: () => api.stop() };
});
