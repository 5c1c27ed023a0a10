import type { Extra } from '../../lab/api/auth/authenticator.ts';
import type { Answer, ApiRequest } from '../../lab/control-plane/api-client.ts';
import type { NetworkPlan } from '../../lab/network/network-plan.ts';

/** What the world stands on: the embedded API server or a real one, on loopback. */
export interface WorldApi {
  readonly url: string;
  /** The authority to trust, in PEM; undefined without TLS. */
  readonly ca: string | undefined;
  readonly adminToken: string;
  token(user: string, groups?: readonly string[], extra?: Extra): string;
  /** Of a real one, as its administrator. */
  request?(request: ApiRequest): Promise<Answer>;
  stop(): Promise<void>;
}

export interface WorldOptions {
  /** Starts the API server; the embedded one by default. Roles are to be enforced. */
  readonly api?: () => Promise<WorldApi>;
  /** An allocator is there: Services ask for their addresses and are not written as it would leave them. */
  readonly hasAllocator?: boolean;
  /** The agents share a key, as where the Secret `purelb-peer-key` is mounted. */
  readonly hasPeerKey?: boolean;
  /** As for the lab: `3`, or `[2, 2]` for two subnets. */
  readonly nodes?: number | readonly number[];
  /** For other shapes, instead of `nodes`. */
  readonly plan?: NetworkPlan;
  /** Of the LBNodeAgent `default`; undefined: there is none. */
  readonly local?: object | undefined;
  /** ServiceGroups by name: their `spec`. */
  readonly groups?: Readonly<Record<string, object>>;
  /** On which nodes an agent is started; all by default. */
  readonly agents?: readonly number[];
}
