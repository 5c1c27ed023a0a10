/** The conditions of BGPConfigurations: whether each is in force, and why not. */

import { keyOf } from '../../model/identity.ts';
import type { BgpRecord } from './bgp-record.ts';
import { type BgpOffer, describeProblems } from './choose-bgp-config.ts';

export interface ConfigurationStatus {
  readonly offer: BgpOffer;
  readonly conditions: readonly {
    readonly type: 'Ready' | 'RouterIDResolved';
    readonly status: 'True' | 'False';
    readonly reason: string;
    readonly message: string;
    readonly observedGeneration: number;
  }[];
  readonly message: string;
  readonly routerIdSource: string | undefined;
}

/** Of one node's view, which is that of all where they agree; sessions of each node stand in its BGPNodeStatus. */
export function describeConfigurations(record: BgpRecord): readonly ConfigurationStatus[] {
  const { chosen, others } = record.choice;
  if (chosen === undefined) return [];
  return [describeChosen(chosen, record), ...others.map((each) => describeOther(each, chosen))];
}

function describeChosen(offer: BgpOffer, record: BgpRecord): ConfigurationStatus {
  const { problems } = record.choice;
  const observedGeneration = offer.identity.generation;
  if (problems.length > 0) {
    const message = describeProblems(problems);
    return {
      offer,
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'ConfigurationInvalid',
          message,
          observedGeneration,
        },
      ],
      message: `Configuration validation failed: ${message}`,
      routerIdSource: undefined,
    };
  }
  const ready = judgeReady(record);
  return {
    offer,
    conditions: [
      { type: 'Ready', ...ready, observedGeneration },
      { type: 'RouterIDResolved', ...judgeRouterId(record), observedGeneration },
    ],
    message: ready.message,
    routerIdSource: record.routerId?.source,
  };
}

function judgeReady({ failures, state, needsRestart }: BgpRecord) {
  const [failure] = failures;
  if (state === undefined) {
    return no('ConnectionFailed', failure ?? 'the daemon does not answer');
  }
  if (needsRestart.length > 0) {
    return no('ReconcileFailed', `global: ${needsRestart.join(', ')} changed: start gobgpd anew`);
  }
  if (failure !== undefined) return no('ReconcileFailed', failure);
  const message = 'BGP configuration applied successfully';
  return { status: 'True', reason: 'ReconcileSuccess', message } as const;
}

function judgeRouterId({ routerId, notes }: BgpRecord) {
  const failed = notes.find(({ reason }) => reason === 'RouterIDResolutionFailed');
  if (routerId === undefined) {
    return no('ResolutionFailed', failed?.message ?? 'Router ID resolution failed');
  }
  const message = `Router ID resolved via ${routerId.source}`;
  return { status: 'True', reason: 'Resolved', message } as const;
}

function no(reason: string, message: string) {
  return { status: 'False', reason, message } as const;
}

function describeOther(offer: BgpOffer, chosen: BgpOffer): ConfigurationStatus {
  const message = `${keyOf(chosen.identity)} is older and in force: delete one of them`;
  const observedGeneration = offer.identity.generation;
  return {
    offer,
    conditions: [
      {
        type: 'Ready',
        status: 'False',
        reason: 'MultipleConfigurations',
        message,
        observedGeneration,
      },
    ],
    message,
    routerIdSource: undefined,
  };
}
