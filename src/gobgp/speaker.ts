/** The port to the BGP daemon: `GobgpSpeaker` is the real one, `FakeSpeaker` the other. */

import type { LearntPath } from '../model/bgp-path.ts';
import type { SpeakerChange, SpeakerState } from '../model/speaker.ts';

export interface Speaker {
  /** Everything, or a `SpeakerError`: what cannot be read is unknown, not absent. */
  read(): Promise<SpeakerState>;

  /** Routes of neighbours that were accepted; never our own. */
  learnt(): Promise<readonly LearntPath[]>;

  /**
   * Carries out all changes in their order and resolves to the failures.
   *
   * - What is already so is success: adding what is there, removing what is not.
   * - When the daemon cannot be started or its policies not be set, nothing that follows is tried: neighbours without
   *   policies would be sent everything. For the same reason none is added while no policies are in force.
   * - Of a daemon that does not answer, the rest is not tried either.
   */
  apply(changes: readonly SpeakerChange[]): Promise<readonly SpeakerFailure[]>;

  /**
   * Calls back when sessions change or routes are learnt, and once at the beginning; rejects with a `SpeakerError`
   * when the daemon is gone or not yet there, or with the signal's reason.
   */
  watch(listener: () => void, signal: AbortSignal): Promise<never>;

  /** Ends all sessions in the way in which neighbours keep our routes for a restart. The daemon is of no use after it. */
  stopForRestart(): Promise<void>;

  close(): void;
}

export type SpeakerErrorCode =
  /** Not there, or no answer in time. */
  | 'Unreachable'
  /** Told to stop: only another process will do. */
  | 'Stopped'
  /** It said no: see the words. */
  | 'Refused';

export class SpeakerError extends Error {
  override readonly name = 'SpeakerError';
  readonly code: SpeakerErrorCode;

  constructor(code: SpeakerErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export interface SpeakerFailure {
  readonly change: SpeakerChange;
  readonly code: SpeakerErrorCode;
  readonly words: string;
}
