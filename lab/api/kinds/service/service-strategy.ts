import { invalid } from '../../api-error.ts';
import type { ApiObject } from '../../api-object.ts';
import type { FieldCause } from '../../field-cause.ts';
import type { Strategy, StrategyContext } from '../../resource.ts';
import { serviceNameProblems } from '../../selectors/name-rules.ts';
import type { Store } from '../../store/store.ts';
import { allocateService } from './allocate-service.ts';
import {
  carryFamilies,
  clusterObstacles,
  releaseObstacles,
  setIpFamilies,
  singleObstacles,
} from './ip-families.ts';
import { ServiceAllocations } from './service-allocations.ts';
import { setServiceDefaults } from './service-defaults.ts';
import { specOf } from './service-spec.ts';
import {
  alignClusterIps,
  alignNewClusterIps,
  dropTypeDependentFields,
  keepAllocated,
} from './type-changes.ts';
import { validateClusterIps } from './validate-cluster-ips.ts';
import { validateService } from './validate-service.ts';
import { validateServiceStatus } from './validate-service-status.ts';
import { validateServiceUpdate } from './validate-service-update.ts';

function warnAboutService(service: ApiObject): readonly string[] {
  const { externalIPs = [], trafficDistribution } = specOf(service);
  return [
    ...(externalIPs.length > 0
      ? ['spec.externalIPs is deprecated and may no longer be implemented in some clusters']
      : []),
    ...(trafficDistribution === 'PreferClose'
      ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
      : []),
  ];
}

function refuse(service: ApiObject, causes: readonly FieldCause[]): void {
  if (causes.length === 0) return;
  throw invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', causes);
}

export function serviceStrategy(store: Store, serviceCidrs: readonly string[]): Strategy {
  const allocations = new ServiceAllocations(store, serviceCidrs);
  /** As in the real server, addresses and ports are given out before anything else is judged. */
  const complete = (service: ApiObject, old: ApiObject | undefined, context: StrategyContext) => {
    const spec = specOf(service);
    const before = old === undefined ? undefined : specOf(old);
    if (before !== undefined) carryFamilies(spec, before);
    refuse(service, validateClusterIps(spec));
    if (before !== undefined) refuse(service, releaseObstacles(spec, before));
    refuse(service, singleObstacles(spec));
    setIpFamilies(spec, allocations.families);
    refuse(service, clusterObstacles(spec, allocations.families));
    allocateService(allocations, service, old, context);
  };
  return {
    validateName: serviceNameProblems,
    setDefaults: setServiceDefaults,
    prepareCreate: (service, context) => {
      alignNewClusterIps(specOf(service));
      complete(service, undefined, context);
    },
    prepareUpdate: (service, old, context) => {
      const [spec, before] = [specOf(service), specOf(old)];
      alignClusterIps(spec, before);
      dropTypeDependentFields(spec, before);
      if (spec.type !== 'LoadBalancer') service.status = { ...service.status, loadBalancer: {} };
      keepAllocated(spec, before);
      complete(service, old, context);
    },
    validate: (service, old) => [
      ...(old === undefined ? [] : validateServiceUpdate(service, old)),
      ...validateService(service),
    ],
    warn: warnAboutService,
    validateStatus: validateServiceStatus,
  };
}
