/** Somebody who plays the kubelets: pods on nodes run, get an address, and end when they are to. */

import type { ApiObject } from '../api-object.ts';
import { listAt, textAt } from '../json.ts';
import type { Core } from '../rest/core.ts';
import { Hands } from './hands.ts';

/** `isWorking`: whether a pod becomes ready. */
export function playKubelets(core: Core, isWorking: (pod: ApiObject) => boolean): Hands {
  const hands = new Hands(core, 'kubelet');
  let addresses = 0;
  const run = (pod: ApiObject) => {
    if (pod.metadata.deletionTimestamp !== undefined) {
      hands.remove('pods', pod, { gracePeriodSeconds: 0 });
      return;
    }
    if (textAt(pod, 'status', 'podIP') !== '') return;
    addresses += 1;
    hands.writeStatus('pods', pod, running(hands, pod, isWorking(pod), `192.0.2.${addresses}`));
  };
  const lookAfter = () => {
    for (const pod of hands.list('pods')) if (textAt(pod, 'spec', 'nodeName') !== '') run(pod);
  };
  core.store.collection('pods').subscribe(() => void core.clock.after(10, lookAfter));
  return hands;
}

function running(hands: Hands, pod: ApiObject, isReady: boolean, podIP: string) {
  const startedAt = hands.timestamp;
  const containerStatuses = listAt(pod, 'spec', 'containers').map((container) => ({
    name: textAt(container, 'name'),
    image: textAt(container, 'image'),
    imageID: '',
    ready: isReady,
    restartCount: 0,
    started: true,
    state: { running: { startedAt } },
  }));
  const ready = { type: 'Ready', status: isReady ? 'True' : 'False', lastProbeTime: null };
  return {
    ...pod.status,
    phase: 'Running',
    podIP,
    podIPs: [{ ip: podIP }],
    containerStatuses,
    conditions: [{ ...ready, lastTransitionTime: startedAt }],
  };
}
