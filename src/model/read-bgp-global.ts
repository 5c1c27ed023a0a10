import type { BgpFamily, BgpGlobal, RouterIdChoice, RouteSelection } from './bgp-config.ts';
import type { Cursor } from './cursor.ts';
import { abbreviate, familyOf, parseIp } from './ip.ts';
import { isProblem, type Parsed, problem } from './parsed.ts';
import { networkOf, type Prefix, parsePrefix, prefixOf } from './prefix.ts';
import {
  largestAsn,
  readFamilyName,
  readGracefulRestart,
  readPolicies,
  warnInert,
} from './read-bgp-parts.ts';

const defaultRouterIdPool = prefixOf('10.255.0.0/16');
const noPolicies = { import: undefined, export: undefined };

/** `spec.global`. */
export function readBgpGlobal(cursor: Cursor): BgpGlobal {
  const at = cursor.fields(
    'asn',
    'routerID',
    'routerIDPool',
    'families',
    'routeSelectionOptions',
    'defaultRouteDistance',
    'confederation',
    'gracefulRestart',
    'applyPolicy',
    'nodeStatus',
  );
  warnInert(at.defaultRouteDistance.fields('externalRouteDistance', 'internalRouteDistance'));
  refuseConfederation(at.confederation);
  return {
    asn: at.asn.required().integer({ min: 1, max: largestAsn }) ?? 0,
    routerId: at.routerID.parse(parseRouterId) ?? { kind: 'automatic' },
    routerIdPool: at.routerIDPool.parse(parseRouterIdPool) ?? defaultRouterIdPool,
    families: readFamilies(at.families),
    ...readListening(cursor),
    ...readPaths(cursor),
    routeSelection: readRouteSelection(at.routeSelectionOptions),
    gracefulRestart: readGracefulRestart(at.gracefulRestart),
    policy: readPolicies(at.applyPolicy) ?? noPolicies,
    nodeStatus: readNodeStatus(at.nodeStatus),
  };
}

/** An IPv4 address, or one of the templates; a template is the whole text or none. */
function parseRouterId(text: string, path: string): Parsed<RouterIdChoice> {
  if (text === '') return { value: { kind: 'automatic' } };
  const [, template] = /^\$\{(.{1,256})\}$/.exec(text) ?? [];
  if (template === 'NODE_IP' || template === 'NODE_IPV4') return { value: { kind: 'node-ip' } };
  if (template === 'NODE_EXTERNAL_IP') return { value: { kind: 'node-external-ip' } };
  const [, key] = /^node\.annotations\['([A-Za-z0-9][\w./-]{0,252})'\]$/.exec(template ?? '') ?? [];
  if (key !== undefined) return { value: { kind: 'node-annotation', key } };
  const ip = parseIp(text);
  if (!isProblem(ip) && familyOf(ip.value) === 'ipv4') {
    return { value: { kind: 'explicit', ip: ip.value } };
  }
  const known = `\${NODE_IP}, \${NODE_EXTERNAL_IP} or \${node.annotations['key']}`;
  return problem(path, `"${abbreviate(text)}" is not a router ID: write an IPv4 address, ${known}`);
}

function parseRouterIdPool(text: string, path: string): Parsed<Prefix> {
  if (text === '') return { value: defaultRouterIdPool };
  const prefix = parsePrefix(text, path);
  if (isProblem(prefix)) return prefix;
  if (familyOf(prefix.value.ip) === 'ipv4' && prefix.value.length <= 24) {
    return { value: networkOf(prefix.value) };
  }
  return problem(path, `${text} must be an IPv4 prefix of /24 or wider, such as 10.255.0.0/16`);
}

/** Absent: both, as sessions without a list of their own speak both. */
function readFamilies(cursor: Cursor): readonly BgpFamily[] {
  const items = cursor.items();
  if (items.length === 0) return ['ipv4-unicast', 'ipv6-unicast'];
  return items.flatMap((item) => readFamilyName(item) ?? []);
}

function readListening(
  cursor: Cursor,
): Pick<BgpGlobal, 'listenPort' | 'listenAddresses' | 'bindToDevice'> {
  const at = cursor.fields('listenPort', 'listenAddresses', 'bindToDevice');
  return {
    listenPort: at.listenPort.integer({ min: -1, max: 65_535 }) || 179,
    listenAddresses: at.listenAddresses.items().flatMap((item) => item.parse(parseIp) ?? []),
    bindToDevice: at.bindToDevice.string() || undefined,
  };
}

function readPaths(
  cursor: Cursor,
): Pick<BgpGlobal, 'usesMultiplePaths' | 'ebgpMaximumPaths' | 'ibgpMaximumPaths'> {
  const at = cursor.fields('useMultiplePaths', 'ebgpMaximumPaths', 'ibgpMaximumPaths');
  const usesMultiplePaths = at.useMultiplePaths.boolean() ?? false;
  for (const limit of [at.ebgpMaximumPaths, at.ibgpMaximumPaths]) {
    if (limit.isPresent && !usesMultiplePaths) limit.refuse('needs useMultiplePaths to be true');
  }
  return {
    usesMultiplePaths,
    ebgpMaximumPaths: at.ebgpMaximumPaths.integer({ min: 1, max: 255 }),
    ibgpMaximumPaths: at.ibgpMaximumPaths.integer({ min: 1, max: 255 }),
  };
}

function readRouteSelection(cursor: Cursor): RouteSelection {
  const at = cursor.fields(
    'alwaysCompareMed',
    'ignoreAsPathLength',
    'externalCompareRouterID',
    'disableBestPathSelection',
  );
  warnInert(cursor.fields('advertiseInactiveRoutes', 'enableAigp', 'ignoreNextHopIgpMetric'));
  return {
    alwaysCompareMed: at.alwaysCompareMed.boolean() ?? false,
    ignoreAsPathLength: at.ignoreAsPathLength.boolean() ?? false,
    externalCompareRouterId: at.externalCompareRouterID.boolean() ?? false,
    disableBestPathSelection: at.disableBestPathSelection.boolean() ?? false,
  };
}

function refuseConfederation(cursor: Cursor): void {
  const { enabled } = cursor.fields('enabled', 'identifier', 'memberAsList');
  if (enabled.boolean() === true) cursor.refuse('confederations are not carried out: remove it');
}

function readNodeStatus(cursor: Cursor): BgpGlobal['nodeStatus'] {
  const at = cursor.fields('enabled', 'heartbeatSeconds');
  return {
    isEnabled: at.enabled.boolean() ?? true,
    heartbeatSeconds: at.heartbeatSeconds.integer({ min: 10, max: 86_400 }) ?? 60,
  };
}
