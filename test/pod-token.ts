/** Tokens as kubelets mount them: bound to a pod, and so to its node. */

import { randomUUID } from 'node:crypto';
import { pod } from '../lab/control-plane/objects.ts';
import { createObject, type Send } from '../lab/control-plane/write-object.ts';
import type { PodAccount } from './deployed-api.ts';

/** The pod is made for it, and never runs. */
export async function podToken(send: Send, account: PodAccount): Promise<string> {
  const { namespace, name, node } = account;
  const made = pod({ name: `${name}-${randomUUID()}`, namespace, node, ips: [] });
  const spec = { ...(made.spec as object), serviceAccountName: name };
  const { metadata } = await createObject(send, { ...made, spec, status: undefined });
  const boundObjectRef = {
    apiVersion: 'v1',
    kind: 'Pod',
    name: metadata.name,
    uid: metadata.uid,
  };
  return accountToken(send, account, { boundObjectRef });
}

/** Of the account alone: no pod has it, and it names no node. */
export async function accountToken(
  send: Send,
  { namespace, name }: Pick<PodAccount, 'namespace' | 'name'>,
  spec: object = {},
): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
  const { status, body } = await send({ method: 'POST', path, body: request });
  if (status !== 201) throw new Error(`no token for ${name}: ${JSON.stringify(body)}`);
  return (body as { readonly status: { readonly token: string } }).status.token;
}
