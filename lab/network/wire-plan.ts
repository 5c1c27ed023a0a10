/**
 * What a segment looks like while faults are in effect. Computed anew from all of them whenever one comes or goes,
 * so that faults may overlap and heal in any order.
 */

export type WireFault =
  /** The cable is out: both ends lose their carrier. */
  | { readonly kind: 'unplugged'; readonly port: string }
  /** The switch no longer serves the port; its carrier stays. */
  | { readonly kind: 'disconnected'; readonly port: string }
  /** Ports of different groups do not hear each other; ports in no group stay together. */
  | { readonly kind: 'partition'; readonly groups: readonly (readonly string[])[] }
  /** Frames are dropped on their way from the host behind the port, or to it. */
  | {
      readonly kind: 'drop';
      readonly port: string;
      readonly direction: 'from' | 'to';
      /** nft expressions, each of which a frame must meet; see `dropFrames`. */
      readonly matches: readonly string[];
    };

export interface PortState {
  readonly isUp: boolean;
  /** Absent while the port belongs to no bridge. */
  readonly bridge?: string;
}

export interface WireState {
  readonly ports: Readonly<Record<string, PortState>>;
  /** What `nft` is given; empty where no frames are dropped. */
  readonly ruleset: string;
}

export const untouchedWire: WireState = { ports: {}, ruleset: '' };

/** The bridge of ports that no partition names. */
export const mainBridge = 'lan';

export function planWire(ports: readonly string[], faults: readonly WireFault[]): WireState {
  const isHit = (kind: 'unplugged' | 'disconnected', port: string) =>
    faults.some((fault) => fault.kind === kind && fault.port === port);
  const bridgeOf = planBridges(ports, faults);
  const states = ports.map((port): [string, PortState] => {
    const bridge = isHit('disconnected', port) ? undefined : bridgeOf(port);
    return [port, { isUp: !isHit('unplugged', port), ...(bridge === undefined ? {} : { bridge }) }];
  });
  return { ports: Object.fromEntries(states), ruleset: planRuleset(ports, faults) };
}

/** One bridge for each set of ports that all partitions leave together. */
function planBridges(
  ports: readonly string[],
  faults: readonly WireFault[],
): (port: string) => string {
  const partitions = faults.filter((fault) => fault.kind === 'partition');
  const sideOf = (port: string) =>
    partitions
      .map(({ groups }) => groups.findIndex((group) => group.includes(port)) + 1)
      .join('-')
      .replace(/^[0-]+$/, '');
  const sides = [...new Set(ports.map(sideOf))].filter((side) => side !== '').sort();
  return (port) => {
    const index = sides.indexOf(sideOf(port));
    return index < 0 ? mainBridge : `${mainBridge}-part${index + 1}`;
  };
}

/** The hooks at the port itself: `ingress` sees what the host sent, `egress` what it is about to be given. */
function planRuleset(ports: readonly string[], faults: readonly WireFault[]): string {
  const chains = ports.flatMap((port) =>
    (['from', 'to'] as const).flatMap((direction) => {
      const drops = faults.filter(
        (fault) => fault.kind === 'drop' && fault.port === port && fault.direction === direction,
      );
      if (drops.length === 0) return [];
      const hook = direction === 'from' ? 'ingress' : 'egress';
      const rules = drops.map((drop) => `    ${[...matchesOf(drop), 'counter drop'].join(' ')}`);
      return [
        `  chain ${direction}-${port} {`,
        `    type filter hook ${hook} device "${port}" priority 0; policy accept;`,
        ...rules,
        '  }',
      ];
    }),
  );
  return chains.length === 0 ? '' : ['table netdev lab {', ...chains, '}', ''].join('\n');
}

function matchesOf(fault: WireFault): readonly string[] {
  return fault.kind === 'drop' ? fault.matches : [];
}

/**
 * `ip -batch` text that leads from one state to the other. Ports that stay as they are are not touched; ports that
 * are no longer wanted are deleted, and with them the NICs at their other ends.
 */
export function wireCommands(before: WireState, after: WireState): string {
  const bridgesBefore = bridgesIn(before);
  const bridgesAfter = bridgesIn(after);
  const added = bridgesAfter.filter((bridge) => !bridgesBefore.includes(bridge));
  // The main bridge stays, even without ports: captures listen on it.
  const removed = bridgesBefore.filter((b) => !bridgesAfter.includes(b) && b !== mainBridge);
  const lines = [
    ...added.flatMap((bridge) => [
      `link add ${bridge} type bridge stp_state 0 forward_delay 0 mcast_snooping 0`,
      `link set ${bridge} up`,
    ]),
    ...Object.entries(after.ports).flatMap(([port, state]) =>
      portCommands(port, before.ports[port], state),
    ),
    ...Object.keys(before.ports)
      .filter((port) => after.ports[port] === undefined)
      .map((port) => `link del ${port}`),
    ...removed.map((bridge) => `link del ${bridge}`),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function bridgesIn({ ports }: WireState): readonly string[] {
  const named = Object.values(ports).map(({ bridge }) => bridge);
  const isEmpty = named.length === 0;
  return [...new Set(isEmpty ? [] : [mainBridge, ...named.filter((name) => name !== undefined)])];
}

function portCommands(port: string, before: PortState | undefined, after: PortState): string[] {
  const membership = after.bridge === undefined ? 'nomaster' : `master ${after.bridge}`;
  const lines: string[] = [];
  if (before?.bridge !== after.bridge) lines.push(`link set ${port} ${membership}`);
  if (before?.isUp !== after.isUp) lines.push(`link set ${port} ${after.isUp ? 'up' : 'down'}`);
  return lines;
}
