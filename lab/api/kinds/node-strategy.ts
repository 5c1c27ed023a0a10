import { type FieldCause, forbiddenField } from '../field-cause.ts';
import { equalJson, type Json, type JsonObject, listAt, valueAt } from '../json.ts';
import type { Strategy } from '../resource.ts';

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

export const nodeStrategy: Strategy = {
  keepsNewStatus: true,
  setDefaults: ({ spec = {} }) => {
    const { podCIDR } = spec;
    const [first] = listAt(spec, 'podCIDRs');
    if (typeof podCIDR === 'string' && podCIDR !== first) spec['podCIDRs'] = [podCIDR];
  },
  /** A new node takes no pods until somebody has found it ready. */
  prepareCreate: (node) => {
    const taints = listAt(node, 'spec', 'taints') as JsonObject[];
    const isTainted = taints.some(({ key }) => key === notReady.key);
    if (!isTainted) node.spec = { ...node.spec, taints: [...taints, { ...notReady }] };
  },
  validate: (node, old) => {
    if (old === undefined) return [];
    return [
      ...validateFixed(old.spec?.['podCIDRs'], node.spec?.['podCIDRs'], {
        field: 'spec.podCIDRs',
        detail: 'node updates may not change podCIDR except from "" to valid',
      }),
      ...validateFixed(valueAt(old, 'spec', 'providerID'), valueAt(node, 'spec', 'providerID'), {
        field: 'spec.providerID',
        detail: 'node updates may not change providerID except from "" to valid',
      }),
    ];
  },
};

/** What was never said may still be; once said it stays. */
function validateFixed(
  old: Json | undefined,
  value: Json | undefined,
  { field, detail }: { readonly field: string; readonly detail: string },
): readonly FieldCause[] {
  return old === undefined || equalJson(old, value) ? [] : [forbiddenField(field, detail)];
}
