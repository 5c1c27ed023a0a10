import { textAt } from '../json.ts';
import { type Controller, itself } from './controller.ts';

/** Every namespace has the account that pods use when they name none. */
export const serviceAccountController: Controller = {
  name: 'service-account-controller',
  watches: {
    namespaces: itself,
    serviceaccounts: ({ metadata: { namespace = '' } }) => [namespace],
  },
  reconcile: (hands, name) => {
    const namespace = hands.get('namespaces', name);
    const isOpen = textAt(namespace, 'status', 'phase') === 'Active';
    if (!isOpen || hands.get('serviceaccounts', `${name}/default`) !== undefined) return undefined;
    hands.create('serviceaccounts', name, { metadata: { name: 'default' } });
    return undefined;
  },
};
