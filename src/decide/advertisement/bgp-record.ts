/** What one pass saw, wanted and achieved: statuses, metrics and people are told from it. */

import type { LearntPath } from '../../model/bgp-path.ts';
import type { Link } from '../../model/link.ts';
import type { SpeakerState } from '../../model/speaker.ts';
import type { BgpChoice } from './choose-bgp-config.ts';
import type { ImportedAddress } from './plan-paths.ts';
import type { InstalledRoute } from './plan-routes.ts';
import type { RouterId } from './resolve-router-id.ts';
import type { ResolvedSessions, SessionNote } from './resolve-sessions.ts';
import type { RouteRefusal } from './route-attributes.ts';

export interface BgpRecord {
  readonly choice: BgpChoice;
  readonly routerId: RouterId | undefined;
  /** Everything that people should know, the reasons of events included. */
  readonly notes: readonly SessionNote[];
  /** What Services asked for their routes in vain. */
  readonly refusals: readonly RouteRefusal[];
  readonly sessions: ResolvedSessions | undefined;
  readonly links: readonly Link[];
  readonly imported: readonly ImportedAddress[];
  /** As the daemon was after the changes; undefined: it could not be asked, for the reason in `failures`. */
  readonly state: SpeakerState | undefined;
  readonly learnt: readonly LearntPath[];
  readonly installed: readonly InstalledRoute[];
  /** What could not be done, in words. */
  readonly failures: readonly string[];
  /** Fields that only another process of the daemon can take on. */
  readonly needsRestart: readonly string[];
}
