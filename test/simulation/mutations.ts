/**
 * The rules of failover, each with the change of source text that switches it off, and a named history that then fails.
 * A rule that no history needs would be a rule too many.
 */

export interface Mutation {
  readonly rule: string;
  /** Below the root. */
  readonly file: string;
  /** Found exactly once. */
  readonly text: string;
  readonly replacement: string;
  /** In this folder. */
  readonly history: string;
  /** A part of its name. */
  readonly name: string;
}

export const mutations: readonly Mutation[] = [
  {
    rule: 'unicast proof',
    file: 'src/decide/announcement/ask-wire.ts',
    text: 'suspects: handedBy === undefined ? findSuspects(address, snapshot, question) : [handedBy],',
    replacement: 'suspects: [],',
    history: 'failover.test.ts',
    name: 'in a network that suppresses ARP nobody takes',
  },
  {
    rule: 'not me',
    file: 'src/decide/failover/watch-holder.ts',
    text: 'if (othersAskedAt < since) return { ...askCloser(state, input), isCutOff: true };',
    replacement: '',
    history: 'simulation.test.ts',
    name: 'a watcher that is cut off takes nothing',
  },
  {
    rule: 'who holds: my kernel first',
    file: 'src/decide/announcement/who-holds.ts',
    text: "if (evidence.isInMyKernel) return { node: me, evidence: 'kernel' };",
    replacement: '',
    history: 'failover.test.ts',
    name: 'asks the wire and takes nothing back',
  },
  {
    rule: 'two holders: one yields',
    file: 'src/decide/announcement/hold-on.ts',
    text: 'if (isContested) return {',
    replacement: 'if (isContested && now < 0) return {',
    history: 'reunion.test.ts',
    name: '192.0.2.100: two holders that hear each other again',
  },
  {
    rule: 'who is back is asked',
    file: 'src/decide/announcement/hold-on.ts',
    text: 'if (backAt.length > 0) return',
    replacement: 'if (backAt.length < 0) return',
    history: 'reunion.test.ts',
    name: '192.0.2.100: two holders that had no API server either',
  },
  {
    rule: 'who insists knows better',
    file: 'src/decide/failover/judge-rival.ts',
    text: "if (isUnaware && insistsMs >= patienceMs) return 'yield';",
    replacement: '',
    history: 'reunion.test.ts',
    name: '192.0.2.100: two holders that had no API server either',
  },
  {
    rule: 'look before add',
    file: 'src/decide/announcement/look-before-add.ts',
    text: 'if (scheduleFor(question).probesAt.length === 0)',
    replacement: 'if (scheduleFor(question).probesAt.length >= 0)',
    history: 'failover.test.ts',
    name: 'asks the wire and takes nothing back',
  },
  {
    rule: 'damping',
    file: 'src/decide/failover/move-damping.ts',
    text: 'return until > now ? [[ip, until]] : [];',
    replacement: 'return [];',
    history: 'handover.test.ts',
    name: 'what is to and fro is damped',
  },
  {
    rule: 'watchers are watched',
    file: 'src/decide/failover/assign-watches.ts',
    text: '.filter(({ ips, nodeIps, macs }) => ips.length + nodeIps.length > 0 && macs.length > 0);',
    replacement: '.filter(({ ips, macs }) => ips.length > 0 && macs.length > 0);',
    history: 'failover.test.ts',
    name: 'together with both of its watchers',
  },
  {
    rule: 'an overruled slot is left alone',
    file: 'src/decide/announcement/plan-slots.ts',
    text: '&& !facts.overruled.has(decision.ip))',
    replacement: ')',
    history: 'failover.test.ts',
    name: 'do not fight over the slot',
  },
  {
    rule: 'wake-up',
    file: 'src/agent/self-trust.ts',
    text: 'if (idleMs <= this.#patienceMs()) return;',
    replacement: 'if (idleMs >= 0) return;',
    history: 'distrust.test.ts',
    name: '192.0.2.100: a holder whose machine stood still for 2 s',
  },
  {
    rule: 'rank wait',
    file: 'src/decide/announcement/ask-wire.ts',
    text: 'return doubtful.length * (config?.failover.rankDelayMs ?? 0);',
    replacement: 'return 0;',
    history: 'claims.test.ts',
    name: '192.0.2.100: two that take each other for dead claim it within 50 ms',
  },
  {
    rule: 'orphan end',
    file: 'src/decide/failover/end-of-lifetime.ts',
    text: 'ending: new Set(ends.filter(isEnding).map(({ node }) => node)),',
    replacement: 'ending: new Set(ends.filter(isEnding).slice(0, 0).map(({ node }) => node)),',
    history: 'lifetimes.test.ts',
    name: '192.0.2.100: an agent that was killed and never comes back',
  },
  {
    rule: 'self-distrust',
    file: 'src/decide/announcement/hold-on.ts',
    text: 'if (doubt !== undefined && doubt.at > since) {',
    replacement: 'if (doubt !== undefined && doubt.at > Infinity) {',
    history: 'distrust.test.ts',
    name: '192.0.2.100: a holder whose machine stood still for 2 s',
  },
  {
    rule: 'double verification',
    file: 'src/decide/failover/hand-over.ts',
    text: 'const isAnswered = askedAt !== undefined && now - askedAt <= answerFreshMs;',
    replacement: 'const isAnswered = true;',
    history: 'handover-faults.test.ts',
    name: '192.0.2.100: the successor hangs and loses the address',
  },
  {
    rule: 'own renewal',
    file: 'src/decide/announcement/judge-members.ts',
    text: 'return isOver && wasRenewedSince(endsAt, facts) ?',
    replacement: 'return facts.now >= endsAt && node !== facts.me ?',
    history: 'claims.test.ts',
    name: '192.0.2.100: while the API server is away nobody asks',
  },
  {
    rule: 'who does not hold it says so',
    file: 'src/agent/tell-everyone.ts',
    text: 'inquiries.deny(findDeniable(decisions, ours && heldIps));',
    replacement: '',
    history: 'claims.test.ts',
    name: '192.0.2.100: with IPVS, who yielded it is not taken',
  },
  {
    rule: 'orphans are told',
    file: 'src/agent/failover.ts',
    text: "hints.send({ kind: 'orphan', holder, ip }, findPeers(link, this.#facts));",
    replacement: '',
    history: 'claims.test.ts',
    name: '192.0.2.100: what a node whose agent stands still loses',
  },
  {
    rule: 'an unsynced agent asks before every extension',
    file: 'src/decide/announcement/judge-adopted.ts',
    text: "if (look === undefined) return { ownership: 'unheard' };",
    replacement: "if (announcedAt !== undefined) return { ownership: 'free' };",
    history: 'lost-api.test.ts',
    name: '192.0.2.100, lifetime 60 s: an agent that restarts',
  },
  {
    rule: 'a stale view does not extend a lifetime',
    file: 'src/decide/announcement/hold-on.ts',
    text: 'return self.isStale && isExtensionDue({',
    replacement: 'return now < 0 && isExtensionDue({',
    history: 'lost-api.test.ts',
    name: '192.0.2.100, lifetime 60 s: an agent that lost its way',
  },
  {
    rule: 'the Lease promises a lifetime before it is extended',
    file: 'src/decide/announcement/lifetime-promise.ts',
    text: 'if (promise === undefined) return Infinity;',
    replacement: 'if (now > -Infinity) return Infinity;',
    history: 'lost-api.test.ts',
    name: '192.0.2.100, lifetime 60 s: an agent that dies while',
  },
  {
    rule: 'a rival that signs says itself that it holds the address',
    file: 'src/decide/failover/prove-rival.ts',
    text: 'if (!wire.signers.has(rival)) return isWeak',
    replacement: 'if (wire.signers.size >= 0) return isWeak',
    history: 'peer-forgery.test.ts',
    name: '192.0.2.100: nor from an owner whose agent is restarted',
  },
  {
    rule: 'an announcement does not end a signed denial',
    file: 'src/decide/announcement/believe-claims.ts',
    text: 'at <= timeIn(signers.has(node) ? admissions : announcements, ip, node);',
    replacement: 'at <= timeIn(announcements, ip, node);',
    history: 'peer-forgery.test.ts',
    name: "192.0.2.100: forged frames in a living member's name do not keep",
  },
  {
    rule: 'whoever signs is not believed unsigned',
    file: 'src/agent/peer-hints.ts',
    text: "if (header === undefined && this.#mustSign(peers)) return 'unauthenticated';",
    replacement: '',
    history: 'peer-forgery.test.ts',
    name: 'forged packets of every kind',
  },
  {
    rule: 'a recording is heard once',
    file: 'src/agent/peer-hints.ts',
    text: 'if (!this.#isNew(message)) {',
    replacement: 'if (!this.#isNew(message) && this.#sequence < 0) {',
    history: 'peer-forgery.test.ts',
    name: 'packets that were recorded',
  },
  {
    rule: 'each is written to with a key that it has',
    file: 'src/agent/key-ring.ts',
    text: 'return this.#keys.find(({ name }) => names.includes(name)) ?? this.#keys[0];',
    replacement: 'return names.length < 0 ? undefined : this.#keys[0];',
    history: 'peer-forgery.test.ts',
    name: 'a key that is replaced on one node',
  },
  {
    rule: 'a successor that does not know the end is skipped',
    file: 'src/decide/failover/pass-over.ts',
    text: 'slot === ending ||',
    replacement: '',
    history: 'lifetimes.test.ts',
    name: '192.0.2.100: a successor that started after',
  },
  {
    rule: 'an unmarked copy owns its address',
    file: 'src/decide/announcement/elect.ts',
    text: 'if (pool.some(({ node }) => node === copyOn))',
    replacement: 'if (pool.some(({ node }) => node === copyOn && false))',
    history: 'unmarked-copy.test.ts',
    name: '192.0.2.100: an address that somebody puts on another node',
  },
];
