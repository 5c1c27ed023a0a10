import { scenariosOfNetworks } from '../../lab/failover/scenarios.ts';
import { failoverContract } from './failover.contract.ts';

failoverContract(scenariosOfNetworks());
