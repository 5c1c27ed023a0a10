/** Why a node does not rely on what it holds before it has asked the network, as logs, metrics and state say it. */

export const doubtReasons = {
  started: 'its agent has only just started',
  stalled: 'its agent did not run for a while',
  carrierBack: 'its link had no carrier for a while',
  sendFailed: 'frames could not be sent',
  isolated: 'nobody answers it on the link',
  kernelUnread: 'its kernel could not be read for a while',
} as const satisfies Record<string, string>;
export type DoubtReason = keyof typeof doubtReasons;
