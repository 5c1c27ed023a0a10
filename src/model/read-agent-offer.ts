/** LBNodeAgent → AgentOffer: also of an object that cannot be read, since it still says which nodes it is meant for. */

import type { LocalConfig } from './agent-config.ts';
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
}

export function readAgentOffer(object: KubeObject): AgentOffer {
  const { namespace = '', name, uid = '' } = object.metadata;
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
  };
}
