/** LBNodeAgent → AgentOffer: also of an object that cannot be read, since it still says which nodes it is meant for. */

import type { LocalConfig } from './agent-config.ts';
import { type Condition, readConditions } from './condition.ts';
import { read } from './cursor.ts';
import type { KubeObject } from './kube-object.ts';
import { type LabelSelector, readLabelSelector } from './label-selector.ts';
import { isProblem, type Parsed } from './parsed.ts';
import { readNodeAgent } from './read-node-agent.ts';

/** What one LBNodeAgent offers to the nodes it selects. */
export interface AgentOffer {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly selector: Parsed<LabelSelector>;
  readonly local: Parsed<LocalConfig | undefined>;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly status: OfferStatus;
}

/** What agents wrote down of it earlier. */
export interface OfferStatus {
  readonly activeLeases: number | undefined;
  readonly observedGeneration: number | undefined;
  readonly conditions: readonly Condition[];
}

export function readAgentOffer(object: KubeObject): AgentOffer {
  const { namespace = '', name, uid = '', resourceVersion = '', generation = 0 } = object.metadata;
  const selector = read(object, (root) => {
    const { spec } = root.fields('spec');
    return readLabelSelector(spec.fields('nodeSelector').nodeSelector);
  });
  const config = readNodeAgent(object);
  return {
    namespace,
    name,
    uid,
    selector: isProblem(selector) ? { problems: selector.problems } : { value: selector.value },
    local: isProblem(config) ? { problems: config.problems } : { value: config.value.local },
    resourceVersion,
    generation,
    status: readStatus(object),
  };
}

/** What cannot be read of it is left out, and written anew. */
function readStatus(object: KubeObject): OfferStatus {
  const reading = read(object, (root) => {
    const { status } = root.lenient().fields('status');
    const at = status.fields('activeLeases', 'observedGeneration', 'conditions');
    const limits = { min: 0, max: Number.MAX_SAFE_INTEGER };
    return {
      activeLeases: at.activeLeases.integer(limits),
      observedGeneration: at.observedGeneration.integer(limits),
      conditions: readConditions(at.conditions),
    };
  });
  const unknown = { activeLeases: undefined, observedGeneration: undefined, conditions: [] };
  return isProblem(reading) ? unknown : reading.value;
}
