/** A cluster with its observer, its client and its story: what the view, the tour and plain lines stand on. */

import { SystemClock } from '../../src/runtime/system-clock.ts';
import type { LabCluster } from '../cluster/lab-cluster.ts';
import { type ClusterOptions, startCluster } from '../cluster/start-cluster.ts';
import { startInstalledCluster } from '../real-cluster/installed-cluster.ts';
import { ActivityMeter } from './activity-meter.ts';
import { Experiments } from './carry-out.ts';
import type { ClusterFacts } from './cluster-facts.ts';
import { Observer } from './observer.ts';
import type { Picture } from './screen.ts';
import { type Sentence, tellChanges } from './tell-changes.ts';
import { TrafficMeter, tickMs } from './traffic-meter.ts';
import { deployEcho } from './workload.ts';

export type StoryLine = Picture['story'][number];

const mostTold = 500;

export interface SessionOptions extends Pick<ClusterOptions, 'isReal' | 'onProgress' | 'router'> {
  /** Real kubelets and containers instead of processes of the lab. */
  readonly isOnRealNodes?: boolean;
}

export class Session implements AsyncDisposable {
  readonly cluster: LabCluster;
  readonly observer: Observer;
  readonly experiments: Experiments;
  readonly story: StoryLine[] = [];
  readonly #meter: TrafficMeter;
  readonly #activity: ActivityMeter;
  readonly #startedAt = Date.now();
  readonly #timer: NodeJS.Timeout;
  readonly #listeners = new Set<(line: StoryLine | undefined) => void>();
  #last: ClusterFacts | undefined;
  #isLookPlanned = false;

  /** Resolves when everything runs and the pods are there. */
  static async start({ isOnRealNodes = false, ...options }: SessionOptions): Promise<Session> {
    const open = isOnRealNodes ? startInstalledCluster : startCluster;
    const cluster = await open({ prefix: '', ...options });
    const session = new Session(cluster);
    try {
      await Promise.all([session.observer.start(), session.#activity.start()]);
      await deployEcho(cluster);
      return session;
    } catch (error) {
      await session[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(cluster: LabCluster) {
    this.cluster = cluster;
    this.experiments = new Experiments(cluster);
    this.#meter = new TrafficMeter(cluster.client);
    const clock = new SystemClock();
    this.#activity = new ActivityMeter(cluster, clock);
    this.observer = new Observer({
      cluster,
      clock,
      traffic: () => this.#meter.facts,
      activity: () => this.#activity.facts,
      onChange: () => this.#lookSoon(),
    });
    this.#timer = setInterval(() => this.#tick(), tickMs);
  }

  get facts(): ClusterFacts {
    return this.observer.facts;
  }

  get uptime(): string {
    const seconds = Math.floor((Date.now() - this.#startedAt) / 1000);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  }

  /** Called with each line of the story, and with nothing when only figures changed. */
  subscribe(listener: (line: StoryLine | undefined) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  say(sentence: Sentence): void {
    const clock = new Date().toTimeString().slice(0, 8);
    const told = { ...sentence, clock };
    this.story.push(told);
    if (this.story.length > mostTold) this.story.shift();
    for (const listener of this.#listeners) listener(told);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#listeners.clear();
    await this.observer.stop();
    await this.#meter.close();
    this.#activity.close();
    await this.cluster.stop();
  }

  #tick(): void {
    this.#meter.tick();
    this.#activity.tick();
    this.#look();
    for (const listener of this.#listeners) listener(undefined);
  }

  /** Several things change at once: they are told together. */
  #lookSoon(): void {
    if (this.#isLookPlanned) return;
    this.#isLookPlanned = true;
    setTimeout(() => this.#look(), 20);
  }

  #look(): void {
    this.#isLookPlanned = false;
    const facts = this.facts;
    const before = this.#last;
    this.#last = facts;
    if (before !== undefined) for (const each of tellChanges(before, facts)) this.say(each);
    void this.#meter.follow(this.observer.ports).catch(() => {});
  }
}
