/** The real guard: a table of its own in nf_tables, over netlink. */

import type { GuardRules } from '../model/guard.ts';
import { type GuardKeys, keysOf } from '../wire/nftables/guard-keys.ts';
import {
  decodeGeneration,
  encodeBatchMark,
  encodeGenerationQuery,
  NFNL_MSG_BATCH_BEGIN,
  NFNL_MSG_BATCH_END,
  NftMessage,
} from '../wire/nftables/nft-message.ts';
import type { Guard, GuardOutcome } from './guard.ts';
import { firstQuestion, judgeGuardError } from './guard-failure.ts';
import { readGuard } from './guard-reader.ts';
import { type GuardFound, planGuardRequests } from './guard-requests.ts';
import { NetlinkConnection } from './netlink-connection.ts';
import { NetlinkError } from './netlink-error.ts';
import { NETLINK_NETFILTER, type NetlinkSocket, openNetlinkSocket } from './netlink-socket.ts';
import { Serial } from './serial.ts';

const receiveBufferBytes = 1 << 20;
/** A transaction is one datagram: about 100 bytes for a Service with both families and one port. */
const sendBufferBytes = 16 << 20;

const begin = { type: NFNL_MSG_BATCH_BEGIN, encodeBody: encodeBatchMark };
const end = { type: NFNL_MSG_BATCH_END, encodeBody: encodeBatchMark };

export class NftablesGuard implements Guard {
  readonly #open: () => NetlinkSocket;
  readonly #applying = new Serial();
  #connection: NetlinkConnection | undefined;
  #known: { readonly generation: number; readonly found: GuardFound } | undefined;

  /** Nothing is opened before it is needed: a kernel without nf_tables is none of our business until then. */
  constructor(open: () => NetlinkSocket = openFilterSocket) {
    this.#open = open;
  }

  async apply(rules: GuardRules): Promise<GuardOutcome> {
    return this.#applying.run(async () => {
      try {
        return await this.#applyKeys(keysOf(rules));
      } catch (error) {
        if (!(error instanceof NetlinkError)) throw error;
        this.#known = undefined;
        const failure = judgeGuardError(error);
        // Where there can be no guard, none is there.
        const isDone = failure.code === 'Unsupported' && rules.addresses.length === 0;
        return isDone ? { kind: 'unchanged' } : failure;
      }
    });
  }

  close(): void {
    this.#connection?.close();
  }

  async #applyKeys(wanted: GuardKeys): Promise<GuardOutcome> {
    this.#connection ??= new NetlinkConnection(this.#open());
    const connection = this.#connection;
    const generation = await readGeneration(connection);
    const found = await this.#find(connection, generation);
    if (!(await change(connection, found, wanted))) return { kind: 'unchanged' };
    await this.#remember(connection, generation, wanted);
    return { kind: 'changed' };
  }

  /** As long as nobody changed anything in the filter, it is as it was. */
  async #find(connection: NetlinkConnection, generation: number): Promise<GuardFound> {
    if (this.#known?.generation === generation) return this.#known.found;
    const found = await readGuard(connection);
    const isSettled = (await readGeneration(connection)) === generation;
    this.#known = isSettled ? { generation, found } : undefined;
    return found;
  }

  /** Only where no change but ours can have come between. */
  async #remember(connection: NetlinkConnection, before: number, keys: GuardKeys): Promise<void> {
    const generation = await readGeneration(connection);
    const isOurs = generation === before + 1;
    const isThere = keys.addresses4.size + keys.addresses6.size > 0;
    const found: GuardFound = isThere ? { kind: 'standing', keys } : { kind: 'absent' };
    this.#known = isOurs ? { generation, found } : undefined;
  }
}

function openFilterSocket(): NetlinkSocket {
  return openNetlinkSocket({ protocol: NETLINK_NETFILTER, receiveBufferBytes, sendBufferBytes });
}

async function readGeneration(connection: NetlinkConnection): Promise<number> {
  const request = { type: NftMessage.getGeneration, encodeBody: encodeGenerationQuery };
  return connection.ask(firstQuestion, request, decodeGeneration);
}

/** Keys can only be changed in a table that is still there; to replace it, it need not be. */
async function change(
  connection: NetlinkConnection,
  found: GuardFound,
  wanted: GuardKeys,
): Promise<boolean> {
  const requests = planGuardRequests(found, wanted);
  if (requests.length === 0) return false;
  try {
    await connection.transact('change the guard', { begin, requests, end });
    return true;
  } catch (error) {
    const isRefused = error instanceof NetlinkError && error.code === 'NETLINK_REFUSED';
    if (!isRefused || found.kind === 'other') throw error;
    return change(connection, { kind: 'other' }, wanted);
  }
}
