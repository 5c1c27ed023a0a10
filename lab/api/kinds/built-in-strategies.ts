import type { Store } from '../store/store.ts';
import type { Strategies } from './built-in-resources.ts';
import { serviceStrategy } from './service/service-strategy.ts';

export interface StrategyParts {
  readonly store: Store;
  readonly serviceCidrs: readonly string[];
}

export function builtInStrategies({ store, serviceCidrs }: StrategyParts): Strategies {
  return { '/Service': serviceStrategy(store, serviceCidrs) };
}
