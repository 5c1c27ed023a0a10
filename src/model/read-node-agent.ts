/** LBNodeAgent, v1 and v2 → AgentConfig. */

import type { AgentConfig, LinkChoice, LocalConfig } from './agent-config.ts';
import { type Cursor, type Reading, read } from './cursor.ts';
import { readIdentity } from './identity.ts';
import { abbreviate } from './ip.ts';
import type { KubeObject } from './kube-object.ts';
import { readLabelSelector } from './label-selector.ts';
import { isAnchored, parseLinkPattern } from './link-pattern.ts';
import { type Parsed, problem } from './parsed.ts';
import { readAnnouncements } from './read-announcements.ts';
import { readDuration } from './read-duration.ts';
import { readFailover } from './read-failover.ts';
import { readLifetimes } from './read-lifetimes.ts';

export function readNodeAgent(object: KubeObject): Reading<AgentConfig> {
  return read(object, (root) => {
    const { metadata, spec } = root.fields('metadata', 'spec');
    const at = spec.required().whole().fields('nodeSelector', 'local');
    return {
      identity: readIdentity(metadata),
      nodeSelector: readLabelSelector(at.nodeSelector),
      local: at.local.isPresent ? readLocal(at.local) : undefined,
    };
  });
}

function readLocal(cursor: Cursor): LocalConfig {
  const at = cursor.fields(
    'localInterface',
    'dummyInterface',
    'interfaces',
    'garpConfig',
    'addressConfig',
    'onShutdown',
    'guard',
    'forwardingWait',
    'failover',
    'localint',
    'extlbint',
    'sendgarp',
  );
  const dummy = v1First(at.extlbint, at.dummyInterface, 'kube-lb0');
  return {
    links: readLinks(v1First(at.localint, at.localInterface, 'default'), at.interfaces),
    dummyLink: dummy.parse(parseLinkName) ?? 'kube-lb0',
    announcements: readAnnouncements(at.garpConfig, at.sendgarp),
    ...readLifetimes(at.addressConfig),
    onShutdown: at.onShutdown.oneOf(['Auto', 'Handover', 'Keep']) ?? 'Auto',
    isGuarded: at.guard.boolean() ?? false,
    forwardingWaitMs: readDuration(at.forwardingWait, { from: '0s', to: '5s', usual: '1500ms' }),
    failover: readFailover(at.failover),
  };
}

/** v1's names win where they are written. v2's schema fills in its own default, which is no contradiction. */
function v1First(v1: Cursor, v2: Cursor, v2Default: string): Cursor {
  const isWritten = (v1.string() ?? '') !== '';
  const ignored = v2.string() ?? v2Default;
  if (isWritten && ignored !== v2Default && ignored !== v1.string()) {
    v2.warn(`is ignored, because ${v1.path} is given: remove one of them`);
  }
  return isWritten ? v1 : v2;
}

function readLinks(choice: Cursor, interfaces: Cursor): LinkChoice {
  const isDefault = ['default', ''].includes(choice.string() ?? '');
  const pattern = isDefault ? undefined : choice.parse(parseLinkPattern);
  if (pattern !== undefined && !isAnchored(pattern)) {
    choice.warn(`is found anywhere in a name: for whole names write ^${pattern.source}$`);
  }
  const names = interfaces.items().flatMap((item) => item.string() ?? []);
  return { pattern, names: names.filter((name) => name !== '') };
}

/** What the kernel takes for the name of a link (dev_valid_name), of at most 15 bytes. */
function parseLinkName(text: string, path: string): Parsed<string> {
  if (/^[\x21-\x2e\x30-\x39\x3b-\x7e]{1,15}$/.test(text) && !/^\.{1,2}$/.test(text))
    return { value: text };
  if (text === '') return { value: 'kube-lb0' };
  return problem(
    path,
    `"${abbreviate(text)}" is not a name for a link: write up to 15 letters, digits, "-", "_" or "."`,
  );
}
