/** What somebody with `edit` in one namespace forges on Services, and what must go on working for them. */

import { resultAnnotations } from '../../src/model/annotations.ts';
import { plainService } from './admission-world.ts';
import {
  byRole,
  merge,
  post,
  purelb,
  type Row,
  remove,
  served,
  services,
  status,
} from './requests.ts';

const web = `${services}/web`;
const restored = `${services}/restored`;
const annotate = (annotations: object) => merge(web, { metadata: { annotations } });

export const forgingTenant: readonly Row[] = [
  ...Object.values(resultAnnotations).map((name) => ({
    name: `forges ${name}`,
    request: annotate({ [name]: 'forged' }),
    refused: new RegExp(`${name}: only PureLB writes this; take it out of the manifest`),
  })),
  {
    name: 'deletes a group',
    request: remove(`${purelb}/servicegroups/default`),
    refused: byRole,
  },
  {
    name: 'takes the finalizer off a group',
    request: merge(`${purelb}/servicegroups/default`, { metadata: { finalizers: null } }),
    refused: byRole,
  },
  {
    name: 'makes a ClusterIP Service that releases addresses it never had',
    request: post(
      services,
      plainService(
        'forged',
        {
          annotations: {
            'purelb.io/allocated-by': 'PureLB',
            'purelb.io/allocated-prefixes': '192.0.2.0/24',
          },
        },
        { type: 'ClusterIP' },
      ),
    ),
    refused: /purelb.io\/allocated-by, purelb.io\/allocated-prefixes: only PureLB writes this/,
  },
  {
    name: 'copies a Service with everything that PureLB wrote on it',
    request: post(services, plainService('copy', { annotations: served })),
    refused: /: only PureLB writes this; take it out of the manifest. To ask for an address/,
  },
  {
    name: "replaces a Service by a manifest with another node's slot",
    request: {
      method: 'PUT',
      path: web,
      body: plainService('web', {
        annotations: { 'purelb.io/announcing-IPv4': 'node3,eth0,192.0.2.100' },
      }),
    },
    refused: /purelb.io\/announcing-IPv4: only PureLB writes this/,
  },
  {
    name: 'forges by way of the status',
    request: status({
      metadata: { annotations: { 'purelb.io/allocated-prefixes': '10.0.0.0/8' } },
    }),
    refused: /purelb.io\/allocated-prefixes: only PureLB writes this/,
  },
  {
    name: 'writes the address of a Service that PureLB serves',
    request: status({ status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } } }),
    refused: /only PureLB writes its addresses into the status/,
  },
  {
    name: 'writes the address of a Service of our class before PureLB does',
    request: merge(`${services}/classed/status`, {
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
    }),
    refused: /only PureLB writes its addresses into the status/,
  },
];

export const honestTenant: readonly Row[] = [
  {
    name: 'asks for an address',
    request: annotate({ 'purelb.io/addresses': '192.0.2.101', 'purelb.io/service-group': 'a' }),
  },
  { name: 'changes a label', request: merge(web, { metadata: { labels: { tier: 'front' } } }) },
  {
    name: 'replaces a Service by what was read of it',
    request: {
      method: 'PUT',
      path: restored,
      body: plainService('restored', { annotations: served }),
    },
  },
  {
    name: 'replaces a Service by a manifest without what PureLB wrote',
    request: { method: 'PUT', path: restored, body: plainService('restored') },
  },
  {
    name: 'writes the address of a Service that another controller serves',
    request: merge(`${services}/foreign/status`, {
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
    }),
  },
  {
    name: 'makes a Service one of another type, whose address the API server takes away',
    request: merge(web, { spec: { type: 'ClusterIP' } }),
  },
  { name: 'deletes a Service', request: remove(web) },
];

/** A backup that comes back. */
export const restoringAdministrator: readonly Row[] = [
  {
    name: 'makes a Service with what PureLB wrote on it before',
    request: post(services, plainService('restored', { annotations: served })),
  },
  {
    name: 'corrects an annotation of PureLB',
    request: merge(`${services}/classed`, {
      metadata: { annotations: { 'purelb.io/announcing-IPv4': null, 'purelb.io/pool-type': 'a' } },
    }),
  },
];
