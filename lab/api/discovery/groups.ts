import type { Core } from '../rest/core.ts';

/** All but the core group, in the order in which clients prefer them. */
export function groupsOf(core: Core): readonly string[] {
  const groups = new Set(core.registry.all().map(({ group }) => group));
  groups.delete('');
  return [...groups];
}

/** Newest first: v2 before v1. */
export function versionsOf(core: Core, group: string): readonly string[] {
  const found = core.registry.all().filter((resource) => resource.group === group);
  return [...new Set(found.map((resource) => resource.version))].sort().reverse();
}
