import { type FieldCause, invalidValue } from '../field-cause.ts';
import { valueAt } from '../json.ts';
import type { Strategy } from '../resource.ts';

export const leaseStrategy: Strategy = {
  validate: (lease) => {
    const causes: FieldCause[] = [];
    const duration = valueAt(lease, 'spec', 'leaseDurationSeconds');
    const transitions = valueAt(lease, 'spec', 'leaseTransitions');
    if (typeof duration === 'number' && duration <= 0) {
      const detail = 'must be greater than 0';
      causes.push(invalidValue('spec.leaseDurationSeconds', duration, detail));
    }
    if (typeof transitions === 'number' && transitions < 0) {
      const detail = 'must be greater than or equal to 0';
      causes.push(invalidValue('spec.leaseTransitions', transitions, detail));
    }
    return causes;
  },
};
