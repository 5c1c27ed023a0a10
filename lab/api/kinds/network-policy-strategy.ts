import { type JsonObject, listAt, valueAt } from '../json.ts';
import type { Strategy } from '../resource.ts';

export const networkPolicyStrategy: Strategy = {
  setDefaults: (policy) => {
    policy.spec ??= {};
    const hasEgress = valueAt(policy, 'spec', 'egress') !== undefined;
    policy.spec['policyTypes'] ??= hasEgress ? ['Ingress', 'Egress'] : ['Ingress'];
    for (const direction of ['ingress', 'egress']) {
      for (const rule of listAt(policy.spec, direction)) {
        for (const port of listAt(rule, 'ports') as JsonObject[]) port['protocol'] ??= 'TCP';
      }
    }
  },
};
