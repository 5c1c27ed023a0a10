import { scenariosOfClusters, tested } from '../../lab/failover/scenarios.ts';
import { failoverContract } from './failover.contract.ts';

failoverContract(scenariosOfClusters(tested));
