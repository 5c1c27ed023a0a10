/** A container as its kubelet sees it, in the words of `status.containerStatuses`. */

export type ContainerState =
  | { readonly kind: 'waiting'; readonly reason: string; readonly message?: string }
  | { readonly kind: 'running'; readonly startedAt: number }
  | {
      readonly kind: 'terminated';
      readonly exitCode: number;
      readonly startedAt: number;
      readonly finishedAt: number;
    };

export interface ContainerReading {
  readonly name: string;
  readonly image: string;
  readonly state: ContainerState;
  /** How it ended the last time. */
  readonly lastState?: ContainerState;
  readonly restartCount: number;
  readonly isReady: boolean;
  readonly pid?: number;
}

export function containerStatus(reading: ContainerReading): object {
  const { name, image, state, lastState, restartCount, isReady, pid } = reading;
  return {
    name,
    image,
    imageID: state.kind === 'waiting' && /Image/.test(state.reason) ? '' : `lab://${image}`,
    ...(pid === undefined ? {} : { containerID: `lab://${pid}` }),
    ready: isReady,
    started: state.kind === 'running',
    restartCount,
    state: renderState(state),
    lastState: lastState === undefined ? {} : renderState(lastState),
  };
}

function renderState(state: ContainerState): object {
  switch (state.kind) {
    case 'waiting': {
      const { reason, message } = state;
      return { waiting: { reason, ...(message === undefined ? {} : { message }) } };
    }
    case 'running':
      return { running: { startedAt: timeText(state.startedAt) } };
    case 'terminated':
      return {
        terminated: {
          exitCode: state.exitCode,
          reason: state.exitCode === 0 ? 'Completed' : 'Error',
          startedAt: timeText(state.startedAt),
          finishedAt: timeText(state.finishedAt),
        },
      };
    default:
      return state satisfies never;
  }
}

/** metav1.Time: whole seconds. */
export function timeText(epochMs: number): string {
  return new Date(epochMs).toISOString().replace(/\.\d+Z$/, 'Z');
}
