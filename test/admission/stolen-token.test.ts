import { startApi } from '../../lab/api/start-api.ts';
import { stolenTokenContract } from './stolen-token.contract.ts';

stolenTokenContract('on the embedded API server', async (tenant) => {
  const api = await startApi({ rbac: true, tls: true });
  const { url, ca = '', adminToken } = api;
  return { url, ca, adminToken, tenantToken: api.token(tenant), stop: () => api.stop() };
});
