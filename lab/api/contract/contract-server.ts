/** What the contract asks of a server under test: where it is, and who may come in. */

export interface ContractServer {
  readonly url: string;
  /** The authority to trust, in PEM; absent where there is no TLS. */
  readonly ca?: string;
  /** Of one of the contract's users, or of `admin`, who may do everything. */
  token(user: string): string;
  /** Forgets all history up to now, so that old resourceVersions expire. A real server cannot be made to. */
  compact?(): Promise<void>;
  stop(): Promise<void>;
}

export type StartServer = () => Promise<ContractServer>;

/** Users and their groups; who is not `admin` may do only what a role says. */
export const contractUsers = {
  admin: ['system:masters'],
  alice: ['readers'],
  bob: [],
} as const satisfies Record<string, readonly string[]>;
