/** What the speaker exchanges with the kernel: addresses that are advertised, learnt routes that are installed, VRFs. */

import type { BgpExport, BgpImport, BgpVrf, ExportRule } from './bgp-config.ts';
import { parseCommunity, parseLargeCommunity, parseRouteTarget } from './community.ts';
import type { Cursor } from './cursor.ts';

const uint32 = { min: 0, max: 4_294_967_295 };

/** `netlinkImport`: without it nothing is advertised. */
export function readNetlinkImport(cursor: Cursor): BgpImport {
  const at = cursor.fields('vrf', 'importLocalAddresses');
  return {
    ...readImport(cursor),
    vrf: at.vrf.string() || undefined,
    takesLocal: at.importLocalAddresses.boolean() ?? false,
  };
}

export function readNetlinkExport(cursor: Cursor): BgpExport {
  const at = cursor.fields('enabled', 'dampeningInterval', 'routeProtocol', 'rules');
  const entries = at.rules.items();
  const rules = entries.map(readRule);
  for (const [index, { name }] of rules.entries()) {
    const isSecond = rules.findIndex((rule) => rule.name === name) < index;
    if (isSecond) entries[index]?.refuse(`the name "${name}" is taken: give each rule its own`);
  }
  return {
    isEnabled: at.enabled.boolean() ?? false,
    dampeningMs: at.dampeningInterval.integer(uint32) || 100,
    routeProtocol: at.routeProtocol.integer({ min: 0, max: 255 }) || 186,
    rules,
  };
}

export function readVrf(cursor: Cursor): BgpVrf {
  const at = cursor.fields('name', 'rd', 'importRt', 'exportRt', 'netlinkImport', 'netlinkExport');
  const name = at.name.required().string() ?? '';
  const targets = (list: Cursor) =>
    list.items().flatMap((item) => item.parse(parseRouteTarget) ?? []);
  return {
    name,
    routeDistinguisher: at.rd.string() === '' ? undefined : at.rd.parse(parseRouteTarget),
    importTargets: targets(at.importRt),
    exportTargets: targets(at.exportRt),
    netlinkImport: readImport(at.netlinkImport),
    netlinkExport: readVrfExport(at.netlinkExport, name),
  };
}

function readImport(cursor: Cursor): BgpImport {
  const at = cursor.fields('enabled', 'interfaceList');
  const isEnabled = at.enabled.boolean() ?? false;
  const interfaces = at.interfaceList.items().flatMap((item) => item.string() ?? []);
  if (isEnabled && interfaces.length === 0) {
    at.interfaceList.refuse('name the interfaces whose addresses are advertised, such as kube-lb0');
  }
  return { isEnabled, vrf: undefined, interfaces, takesLocal: false };
}

function readRule(cursor: Cursor): ExportRule {
  const at = cursor.fields('name', 'vrf', 'tableId');
  return {
    ...readRoutes(cursor),
    name: at.name.required().string() ?? '',
    vrf: at.vrf.string() || undefined,
    table: at.tableId.integer(uint32) ?? 0,
  };
}

function readVrfExport(cursor: Cursor, name: string): ExportRule | undefined {
  const at = cursor.fields('enabled', 'linuxVrf', 'linuxTableId');
  const rule = {
    ...readRoutes(cursor),
    name,
    vrf: at.linuxVrf.string() || name,
    table: at.linuxTableId.integer(uint32) ?? 0,
  };
  return at.enabled.boolean() === true ? rule : undefined;
}

/** Which routes, and how they are installed. */
function readRoutes(
  cursor: Cursor,
): Pick<ExportRule, 'communities' | 'largeCommunities' | 'metric' | 'validatesNexthop'> {
  const at = cursor.fields('communityList', 'largeCommunityList', 'metric', 'validateNexthop');
  return {
    communities: at.communityList.items().flatMap((item) => item.parse(parseCommunity) ?? []),
    largeCommunities: at.largeCommunityList
      .items()
      .flatMap((item) => item.parse(parseLargeCommunity) ?? []),
    metric: at.metric.integer(uint32) || 20,
    validatesNexthop: at.validateNexthop.boolean() ?? true,
  };
}
