import { onNode } from '../../lab/api/auth/authenticator.ts';
import { podToken } from '../pod-token.ts';
import type { WorldApi } from './world-options.ts';

export const installNamespace = 'purelb-system';
export const agentUser = `system:serviceaccount:${installNamespace}:lbnodeagent`;

/** As a pod of the agent on this node has it. */
export async function agentToken(api: WorldApi, node: string): Promise<string> {
  const send = api.request?.bind(api);
  if (send === undefined) return api.token(agentUser, [], onNode(node));
  return podToken(send, { namespace: installNamespace, name: 'lbnodeagent', node });
}
