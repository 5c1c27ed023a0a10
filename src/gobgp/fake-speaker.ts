/** A BGP daemon in memory: takes what the real one takes, and says what it would say. */

import { type BgpPath, type LearntPath, pathKey } from '../model/bgp-path.ts';
import { formatPrefix } from '../model/prefix.ts';
import {
  type GroupWish,
  type PeerName,
  type PeerReading,
  type PeerWish,
  peerKey,
  type SpeakerChange,
  type SpeakerPolicies,
  type SpeakerState,
} from '../model/speaker.ts';
import { findObstacle } from './fake-obstacles.ts';
import { notStarted } from './gobgp-speaker.ts';
import { type Speaker, SpeakerError, type SpeakerFailure } from './speaker.ts';

export class FakeSpeaker implements Speaker {
  /** Every change that was carried out, for tests that count them. */
  readonly carriedOut: SpeakerChange[] = [];
  /** Refuses changes for which it returns words. */
  refuse: (change: SpeakerChange) => string | undefined = () => undefined;
  /** How often it was read. */
  readings = 0;
  #isReachable = true;
  #isStopped = false;
  #identity: SpeakerState['identity'];
  #peers = new Map<string, PeerReading>();
  #groups = new Map<string, GroupWish>();
  #dynamic = new Map<string, { readonly prefix: string; readonly group: string }>();
  #policies: SpeakerState['policies'] = notStarted.policies;
  #paths = new Map<string, BgpPath>();
  #learnt: readonly LearntPath[] = [];
  readonly #watchers = new Set<{ readonly listener: () => void; readonly end: () => void }>();

  /** As when its process dies: it forgets everything. */
  kill(): void {
    this.#isReachable = false;
    this.#isStopped = false;
    this.#identity = undefined;
    this.#peers.clear();
    this.#groups.clear();
    this.#dynamic.clear();
    this.#policies = notStarted.policies;
    this.#paths.clear();
    this.#learnt = [];
    for (const { end } of [...this.#watchers]) end();
  }

  revive(): void {
    this.#isReachable = true;
  }

  /** What a neighbour does to its session. */
  setSession(name: PeerName, reading: Partial<PeerReading>): void {
    const known = this.#peers.get(peerKey(name));
    if (known === undefined) throw new RangeError(`no neighbour ${peerKey(name)}`);
    this.#peers.set(peerKey(name), { ...known, ...reading });
    this.#tell();
  }

  learn(paths: readonly LearntPath[]): void {
    this.#learnt = paths;
    this.#tell();
  }

  /** Loses a route, and does not say so. */
  forget(prefix: string): void {
    this.#paths.delete(prefix);
  }

  async read(): Promise<SpeakerState> {
    this.readings += 1;
    this.#check();
    if (this.#identity === undefined) return notStarted;
    return {
      identity: this.#identity,
      peers: [...this.#peers.values()],
      groups: [...this.#groups.keys()],
      dynamicPrefixes: [...this.#dynamic.values()],
      policies: this.#policies,
      paths: [...this.#paths.values()],
    };
  }

  async learnt(): Promise<readonly LearntPath[]> {
    this.#check();
    return this.#learnt;
  }

  async apply(changes: readonly SpeakerChange[]): Promise<readonly SpeakerFailure[]> {
    const failures: SpeakerFailure[] = [];
    for (const [index, change] of changes.entries()) {
      const failure = this.#attempt(change);
      if (failure === undefined) continue;
      const isFatal =
        failure.code !== 'Refused' || change.kind === 'start' || change.kind === 'set-policies';
      const failed = isFatal ? changes.slice(index) : [change];
      const { code, message: words } = failure;
      failures.push(...failed.map((each) => ({ change: each, code, words })));
      if (isFatal) break;
    }
    return failures;
  }

  async watch(listener: () => void, signal: AbortSignal): Promise<never> {
    this.#check();
    signal.throwIfAborted();
    return new Promise((_resolve, reject) => {
      const watcher = {
        listener,
        end: () => {
          this.#watchers.delete(watcher);
          reject(new SpeakerError('Unreachable', 'the daemon is gone'));
        },
      };
      this.#watchers.add(watcher);
      signal.addEventListener('abort', () => {
        this.#watchers.delete(watcher);
        reject(signal.reason);
      });
      listener();
    });
  }

  async stopForRestart(): Promise<void> {
    this.#check();
    this.#isStopped = true;
  }

  close(): void {
    this.#watchers.clear();
  }

  #check(): void {
    if (!this.#isReachable) throw new SpeakerError('Unreachable', 'there is no daemon');
    if (this.#isStopped) throw new SpeakerError('Stopped', 'the daemon was stopped');
  }

  #attempt(change: SpeakerChange): SpeakerError | undefined {
    try {
      this.#check();
    } catch (error) {
      if (error instanceof SpeakerError) return error;
      throw error;
    }
    const words = this.refuse(change) ?? this.#obstacleTo(change);
    if (words !== undefined) return new SpeakerError('Refused', words);
    this.carriedOut.push(change);
    this.#carryOut(change);
    this.#tell();
    return undefined;
  }

  #obstacleTo(change: SpeakerChange): string | undefined {
    if (this.#identity === undefined && change.kind !== 'start')
      return "bgp server hasn't started yet";
    return findObstacle(change, this.#policies, new Set(this.#peers.keys()));
  }

  #carryOut(change: SpeakerChange): void {
    switch (change.kind) {
      case 'start': {
        const { asn, routerId, listenPort } = change.identity;
        this.#identity = { asn, routerId, listenPort };
        return;
      }
      case 'set-policies':
        this.#setPolicies(change.policies);
        return;
      case 'remove-policies':
        this.#removePolicies(change);
        return;
      case 'set-paths':
        for (const path of change.add) this.#paths.set(formatPrefix(path.prefix), path);
        for (const path of change.withdraw) this.#paths.delete(formatPrefix(path.prefix));
        return;
      case 'add-peer':
      case 'update-peer':
        this.#setPeer(change.peer, this.#identity?.asn ?? 0);
        return;
      case 'remove-peer':
        this.#peers.delete(peerKey(change.peer));
        return;
      case 'reset-peer':
        return;
      case 'add-group':
      case 'update-group':
      case 'remove-group':
      case 'add-dynamic':
      case 'remove-dynamic':
        this.#carryOutOnGroup(change);
        return;
      default:
        change satisfies never;
    }
  }

  #carryOutOnGroup(
    change: Extract<
      SpeakerChange,
      { kind: 'add-group' | 'update-group' | 'remove-group' | 'add-dynamic' | 'remove-dynamic' }
    >,
  ): void {
    switch (change.kind) {
      case 'add-group':
      case 'update-group':
        this.#groups.set(change.group.name, change.group);
        return;
      case 'remove-group':
        this.#groups.delete(change.name);
        return;
      case 'add-dynamic':
        this.#dynamic.set(change.prefix, { prefix: change.prefix, group: change.group });
        return;
      case 'remove-dynamic':
        this.#dynamic.delete(change.prefix);
        return;
      default:
        change satisfies never;
    }
  }

  #setPeer(wish: PeerWish, asn: number): void {
    const known = this.#peers.get(peerKey(wish.peer));
    this.#peers.set(peerKey(wish.peer), {
      ...(known ?? newSession),
      peer: wish.peer,
      address: wish.peer.kind === 'address' ? wish.peer.address : '',
      description: wish.description,
      peerAsn: wish.peerAsn,
      localAsn: wish.localAsn ?? asn,
      isDown: wish.isDown,
      families: wish.families.filter(({ isEnabled }) => isEnabled).map(({ family }) => family),
      bfd: wish.bfd?.isEnabled === true ? (known?.bfd ?? newBfd) : undefined,
    });
  }

  #setPolicies({ sets, ...policies }: SpeakerPolicies): void {
    const known = this.#policies;
    const assignment = (direction: 'import' | 'export') => ({
      policies: [policies[direction].name],
      defaultAction: policies[direction].defaultAction,
    });
    this.#policies = {
      names: [...new Set([...known.names, policies.import.name, policies.export.name])],
      sets: [
        ...known.sets,
        ...sets
          .filter(({ name }) => known.sets.every((each) => each.name !== name))
          .map(({ type, name }) => ({ type, name })),
      ],
      import: assignment('import'),
      export: assignment('export'),
    };
  }

  #removePolicies({ names, sets }: Extract<SpeakerChange, { kind: 'remove-policies' }>): void {
    this.#policies = {
      ...this.#policies,
      names: this.#policies.names.filter((name) => !names.includes(name)),
      sets: this.#policies.sets.filter(({ name }) => sets.every((each) => each.name !== name)),
    };
  }

  #tell(): void {
    for (const { listener } of this.#watchers) listener();
  }
}

const newBfd = { state: 'Down', remoteState: 'Unknown', failures: 0 } as const;

const newSession = {
  group: '',
  state: 'Active',
  upSince: undefined,
  routerId: '',
  received: 0,
  accepted: 0,
  advertised: 0,
  lastError: '',
} as const satisfies Partial<PeerReading>;

/** For tests that compare what is advertised. */
export function pathTexts(paths: readonly BgpPath[]): readonly string[] {
  return paths.map(pathKey).sort();
}
