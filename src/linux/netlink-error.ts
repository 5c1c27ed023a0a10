import { errnoName } from './errno-name.ts';

export type NetlinkErrorCode =
  /** The kernel said no; see `errno`. */
  | 'NETLINK_REFUSED'
  /** The kernel's tables changed during each try to read them: what they hold is unknown. */
  | 'NETLINK_INTERRUPTED'
  /** No answer, or one that cannot be read: whether it was done is unknown. */
  | 'NETLINK_UNANSWERED'
  | 'NETLINK_CLOSED';

/** A request that failed as a whole: what was asked, the kernel's errno and, where it gave any, its words. */
export class NetlinkError extends Error {
  override readonly name = 'NetlinkError';
  readonly code: NetlinkErrorCode;
  readonly operation: string;
  readonly errno: number | undefined;

  constructor(code: NetlinkErrorCode, operation: string, detail: NetlinkErrorDetail) {
    super(`${operation}: ${detail.message}`, 'cause' in detail ? { cause: detail.cause } : {});
    this.code = code;
    this.operation = operation;
    this.errno = detail.errno;
  }

  static fromErrno(operation: string, errno: number, words?: string): NetlinkError {
    const message = words === undefined ? errnoName(errno) : `${words} (${errnoName(errno)})`;
    return new NetlinkError('NETLINK_REFUSED', operation, { message, errno });
  }
}

interface NetlinkErrorDetail {
  readonly message: string;
  readonly errno?: number;
  readonly cause?: unknown;
}
