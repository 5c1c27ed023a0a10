/** The real daemon, over its gRPC API. */

import type { LearntPath } from '../model/bgp-path.ts';
import type {
  AssignmentReading,
  PolicyReading,
  SpeakerChange,
  SpeakerState,
} from '../model/speaker.ts';
import type { Clock } from '../runtime/clock.ts';
import { GrpcChannel, type GrpcMethod } from '../runtime/grpc-channel.ts';
import { GrpcError } from '../runtime/grpc-error.ts';
import type { ValueOf } from '../runtime/protobuf.ts';
import { methods } from './api-methods.ts';
import type { path } from './api-paths.ts';
import { applyChange } from './apply-change.ts';
import { encodeFamily, families } from './encode-peer.ts';
import { allSetTypes, directions, globalTable } from './encode-policy.ts';
import { decodeLearnt, decodePath, isOwn } from './path-message.ts';
import { readPeer } from './read-peer.ts';
import { type Speaker, SpeakerError, type SpeakerFailure } from './speaker.ts';
import { speakerError } from './speaker-error.ts';

export interface GobgpSpeakerOptions {
  /** `unix:///run/gobgp/gobgp.sock`, or host and port. */
  readonly endpoint: string;
  readonly clock: Clock;
  /** Longest wait for one answer; a table of a thousand routes takes less than a tenth of a second. */
  readonly withinMs?: number;
}

const usualWithinMs = 5_000;
const globalRib = 1;
const [watchBest, watchEndOfRib] = [1, 4];

export class GobgpSpeaker implements Speaker {
  readonly #channel: GrpcChannel;
  readonly #withinMs: number;

  constructor({ endpoint, clock, withinMs = usualWithinMs }: GobgpSpeakerOptions) {
    this.#channel = new GrpcChannel({ target: endpoint, clock });
    this.#withinMs = withinMs;
  }

  async read(): Promise<SpeakerState> {
    const { global } = await this.#ask(methods.getBgp, {});
    if (global === undefined || global.asn === 0) return notStarted;
    const { asn, routerId, listenPort } = global;
    const [peers, groups, dynamic, policies, paths] = await Promise.all([
      this.#list(methods.listPeer, { enableAdvertised: true }),
      this.#list(methods.listPeerGroup, {}),
      this.#list(methods.listDynamicNeighbor, {}),
      this.#readPolicies(),
      this.#rib(),
    ]);
    return {
      identity: { asn, routerId, listenPort },
      peers: peers.flatMap(({ peer }) => (peer === undefined ? [] : [readPeer(peer)])),
      groups: groups.flatMap(({ peerGroup }) => peerGroup?.conf?.peerGroupName ?? []),
      dynamicPrefixes: dynamic.flatMap(({ dynamicNeighbor: each }) =>
        each === undefined ? [] : [{ prefix: each.prefix, group: each.peerGroup }],
      ),
      policies,
      paths: paths.filter(isOwn).flatMap((each) => decodePath(each) ?? []),
    };
  }

  async learnt(): Promise<readonly LearntPath[]> {
    const { global } = await this.#ask(methods.getBgp, {});
    const paths = await this.#rib();
    return paths
      .filter((each) => !isOwn(each))
      .flatMap((each) => decodeLearnt(each, global?.asn ?? 0) ?? []);
  }

  async apply(changes: readonly SpeakerChange[]): Promise<readonly SpeakerFailure[]> {
    const failures: SpeakerFailure[] = [];
    const safety = { isProven: false };
    for (const [index, change] of changes.entries()) {
      try {
        await this.#applyOne(change, safety);
      } catch (error) {
        const { code, message: words } = asSpeakerError(error);
        const isFatal = code !== 'Refused' || fatalKinds.includes(change.kind);
        const failed = isFatal ? changes.slice(index) : [change];
        failures.push(...failed.map((each) => ({ change: each, code, words })));
        if (isFatal) break;
      }
    }
    return failures;
  }

  async watch(listener: () => void, signal: AbortSignal): Promise<never> {
    const request = {
      peer: {},
      table: { filters: [{ type: watchBest }, { type: watchEndOfRib }] },
    };
    try {
      // There may be no neighbour yet, and so nothing to begin with.
      await this.#ask(methods.getBgp, {});
      listener();
      for await (const _ of this.#channel.stream(methods.watchEvent, request, { signal })) {
        listener();
      }
    } catch (error) {
      throw signal.aborted ? signal.reason : asSpeakerError(error);
    }
    throw new SpeakerError('Unreachable', 'the daemon ended the stream of events');
  }

  async stopForRestart(): Promise<void> {
    await this.#ask(methods.stopBgp, { allowGracefulRestart: true });
  }

  close(): void {
    this.#channel.close();
  }

  async #rib(): Promise<readonly ValueOf<typeof path>[]> {
    const tables = await Promise.all(
      families.map((family) =>
        this.#list(methods.listPath, { tableType: globalRib, family: encodeFamily(family) }),
      ),
    );
    return tables.flat().flatMap(({ destination }) => destination?.paths ?? []);
  }

  async #applyOne(change: SpeakerChange, safety: { isProven: boolean }): Promise<void> {
    if (letsIn.includes(change.kind) && !safety.isProven) {
      await this.#insistOnPolicies();
      safety.isProven = true;
    }
    await applyChange(change, (method, requests) => this.#send(method, requests));
  }

  /** Never falls open: without policies a neighbour would be sent everything, and everything of it be taken in. */
  async #insistOnPolicies(): Promise<void> {
    for (const direction of [directions.import, directions.export]) {
      const { policies } = await this.#readAssignment(direction);
      if (policies.length === 0) throw new SpeakerError('Refused', noPolicies);
    }
  }

  async #readPolicies(): Promise<PolicyReading> {
    const policies = await this.#list(methods.listPolicy, {});
    const sets = await Promise.all(
      allSetTypes.map(async ([type, number]) => {
        const found = await this.#list(methods.listDefinedSet, { definedType: number });
        return found.flatMap(({ definedSet }) =>
          definedSet ? [{ type, name: definedSet.name }] : [],
        );
      }),
    );
    return {
      names: policies.flatMap(({ policy }) => policy?.name ?? []),
      sets: sets.flat(),
      import: await this.#readAssignment(directions.import),
      export: await this.#readAssignment(directions.export),
    };
  }

  async #readAssignment(direction: number): Promise<AssignmentReading> {
    const request = { name: globalTable, direction };
    const found = await this.#list(methods.listPolicyAssignment, request);
    const assignments = found.flatMap(({ assignment }) => assignment ?? []);
    const [action = 0] = assignments.map(({ defaultAction }) => defaultAction);
    return {
      policies: assignments.flatMap(({ policies }) => policies.map(({ name }) => name)),
      defaultAction: ([undefined, 'accept', 'reject'] as const)[action],
    };
  }

  async #send<Request, Answer>(
    method: GrpcMethod<Request, Answer>,
    requests: readonly Request[],
  ): Promise<Answer> {
    return this.#channel.send(method, requests, { withinMs: this.#withinMs });
  }

  async #ask<Request, Answer>(
    method: GrpcMethod<Request, Answer>,
    request: Request,
  ): Promise<Answer> {
    try {
      return await this.#send(method, [request]);
    } catch (error) {
      throw asSpeakerError(error);
    }
  }

  async #list<Request, Answer>(
    method: GrpcMethod<Request, Answer>,
    request: Request,
  ): Promise<readonly Answer[]> {
    const answers: Answer[] = [];
    try {
      const options = { withinMs: this.#withinMs };
      for await (const each of this.#channel.stream(method, request, options)) answers.push(each);
    } catch (error) {
      throw asSpeakerError(error);
    }
    return answers;
  }
}

/** Without these nothing else may be tried. */
const fatalKinds: readonly SpeakerChange['kind'][] = ['start', 'set-policies'];

/** After these somebody may speak with us. */
export const letsIn: readonly SpeakerChange['kind'][] = ['add-peer', 'add-dynamic'];
export const noPolicies = 'no policies are in force: a neighbour would be sent everything';

const nothing: AssignmentReading = { policies: [], defaultAction: undefined };
export const notStarted: SpeakerState = {
  identity: undefined,
  peers: [],
  groups: [],
  dynamicPrefixes: [],
  policies: { names: [], sets: [], import: nothing, export: nothing },
  paths: [],
};

function asSpeakerError(error: unknown): SpeakerError {
  if (error instanceof SpeakerError) return error;
  if (error instanceof GrpcError) return speakerError(error);
  throw error;
}
