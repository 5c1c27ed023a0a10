/** What can happen to a cluster, how long it lasts, and what goes together. */

import type { Chance } from './chance.ts';

export const faultKinds = [
  'power-loss',
  'reboot',
  'port-cut',
  'cable-pulled',
  'partition',
  'agent-killed',
  'agent-restarted',
  'agent-stopped',
  'agent-crash-loop',
  'agent-frozen',
  'rolling-restart',
  'vm-stun',
  'clock-skew',
  'api-away',
  'api-slow',
  'api-500',
  'watches-cut',
  'api-stale',
  'lease-refused',
  'excluded',
  'service-created',
  'frame-loss',
  'frame-copies',
  'frame-delay',
  'arp-limit',
  'forged-frames',
  'kernel-unreadable',
  'address-removed',
  'api-lost',
  'api-lost-restart',
  'api-lost-by-some',
  'api-lost-reboot',
  'unmarked-copy',
  'hints-forged',
  'hints-replayed',
  'key-rotated',
  'key-missing',
  'spoofed-frames',
  'replies-to-all',
  'tenant-forges',
] as const;

export type FaultKind = (typeof faultKinds)[number];

/** Drawn apart from all others, beside what a burst has: so a kind that is added here changes nothing else of a history. */
export const attacks = ['tenant-forges', 'spoofed-frames', 'replies-to-all'] as const;

const apart: ReadonlySet<FaultKind> = new Set(['unmarked-copy', ...attacks]);

/**
 * What the faults of a burst are taken from. Where the API server fails, or frames are lost, little can be asked of
 * the agents: so most bursts leave one of them alone.
 */
export const themes: readonly (readonly FaultKind[])[] = [
  faultKinds.filter((kind) => !kind.startsWith('api-lost') && !apart.has(kind)),
  [
    'power-loss',
    'reboot',
    'port-cut',
    'cable-pulled',
    'partition',
    'vm-stun',
    'clock-skew',
    'service-created',
    'kernel-unreadable',
    'address-removed',
  ],
  [
    'agent-killed',
    'agent-restarted',
    'agent-stopped',
    'agent-crash-loop',
    'agent-frozen',
    'rolling-restart',
    'clock-skew',
    'lease-refused',
    'excluded',
    'service-created',
    'address-removed',
  ],
  [
    'port-cut',
    'cable-pulled',
    'partition',
    'vm-stun',
    'frame-loss',
    'frame-copies',
    'frame-delay',
    'arp-limit',
    'forged-frames',
    'agent-restarted',
  ],
  [
    'api-away',
    'api-slow',
    'api-500',
    'watches-cut',
    'api-stale',
    'lease-refused',
    'excluded',
    'service-created',
    'forged-frames',
    'agent-restarted',
    'agent-stopped',
    'reboot',
    'vm-stun',
  ],
];

/** Single nodes lose the API server while the others have it, and have addresses that PureLB did not put there. */
export const isolation: readonly FaultKind[] = [
  'api-lost',
  'api-lost-restart',
  'api-lost-by-some',
  'api-lost-reboot',
  'unmarked-copy',
  'agent-killed',
  'agent-restarted',
  'agent-stopped',
  'agent-frozen',
  'reboot',
  'vm-stun',
  'address-removed',
];

/** In ms; `most` bounds what has no length of its own. */
export function drawDuration(chance: Chance, kind: FaultKind, most: number): number {
  const [least, longest] = durations[kind] ?? [1_000, most];
  return chance.between(least, Math.max(least, Math.min(longest, most)));
}

const durations: Readonly<Partial<Record<FaultKind, readonly [number, number]>>> = {
  reboot: [2_000, 6_000],
  'agent-restarted': [200, 3_000],
  'agent-stopped': [2_500, 8_000],
  'rolling-restart': [3_000, 3_000],
  'vm-stun': [200, 4_000],
  'watches-cut': [0, 0],
  'address-removed': [0, 0],
  'kernel-unreadable': [500, 5_000],
};

/** Now and then some last beyond the kernel's lifetime, or beyond every deadline; undefined: this kind does not. */
export function longDuration(kind: FaultKind, lifetimeMs: number): number | undefined {
  if (kind === 'agent-frozen' || kind === 'agent-killed') return lifetimeMs + 20_000;
  // The others take over when the lifetimes end that they read in the Lease.
  if (kind.startsWith('api-lost')) return 2 * lifetimeMs;
  return kind === 'api-away' ? Math.min(lifetimeMs, 120_000) : undefined;
}
