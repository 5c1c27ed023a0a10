/** Sends members that probe for an address of this node a signed statement that this node owns it. */

import {
  noticeEveryMs,
  noticeKey,
  type OwnerNotice,
  type OwnerNoticeFacts,
  planOwnerNotices,
} from '../decide/failover/plan-owner-notices.ts';
import type { Member } from '../model/member.ts';
import { unasked } from '../wire/hint.ts';
import type { Hints } from './hints.ts';

export interface OwnerNoticesSetup {
  readonly hints: Pick<Hints, 'send'>;
  readonly node: string;
}

export class OwnerNotices {
  readonly #setup: OwnerNoticesSetup;
  readonly #noticedAt = new Map<string, number>();

  constructor(setup: OwnerNoticesSetup) {
    this.#setup = setup;
  }

  send(facts: Omit<OwnerNoticeFacts, 'me' | 'noticedAt'>, members: readonly Member[]): void {
    const { now } = facts;
    for (const [key, at] of this.#noticedAt) {
      if (now - at >= noticeEveryMs) this.#noticedAt.delete(key);
    }
    const me = this.#setup.node;
    const due = planOwnerNotices({ ...facts, me, noticedAt: this.#noticedAt });
    for (const notice of due) {
      this.#noticedAt.set(noticeKey(notice), now);
      this.#send(notice, members);
    }
  }

  #send({ ip, node, mac }: OwnerNotice, members: readonly Member[]): void {
    const links = members.filter((member) => member.node === node).flatMap((one) => one.links);
    const [address] = links.find(({ macs }) => macs.includes(mac))?.addresses ?? [];
    if (address === undefined) return;
    this.#setup.hints.send({ kind: 'affirmation', ip, number: unasked, isSure: true }, [
      address.ip,
    ]);
  }
}
