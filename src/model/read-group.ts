/** A ServiceGroup as the allocator meets it: what it asks for, if that can be read, and what was written down before. */

import { type Reading, read } from './cursor.ts';
import { type Identity, readIdentity } from './identity.ts';
import type { KubeObject } from './kube-object.ts';
import { isProblem, type Parsed } from './parsed.ts';
import type { Pool } from './pool.ts';
import { type GroupStatus, readGroupStatus } from './read-group-status.ts';
import { readServiceGroup } from './read-service-group.ts';
import { recordsFinalizer } from './well-known-names.ts';

export interface Group {
  readonly identity: Identity;
  readonly pool: Parsed<Pool>;
  readonly status: GroupStatus;
  /** Its source may have records for it: the group carries `recordsFinalizer`. */
  readonly hasFinalizer: boolean;
}

/** Only a group without a name is refused: one that cannot be read has a name, and a status that says so. */
export function readGroup(object: KubeObject): Reading<Group> {
  const identity = read(object, (root) => readIdentity(root.fields('metadata').metadata));
  const status = readGroupStatus(object);
  const pool = readServiceGroup(object);
  const warnings = [...pool.warnings, ...status.warnings];
  if (isProblem(identity)) return { problems: identity.problems, warnings };
  if (isProblem(status)) return { problems: status.problems, warnings };
  const { finalizers } = object.metadata;
  const hasFinalizer = Array.isArray(finalizers) && finalizers.includes(recordsFinalizer);
  return {
    value: { identity: identity.value, pool, status: status.value, hasFinalizer },
    warnings,
  };
}
