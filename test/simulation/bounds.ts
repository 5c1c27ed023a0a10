/** How long an address may be without a holder, or have two: the promises, and what makes them longer. */

/** Five missed questions, the closer look, the claim; more than twice what it takes. */
export const failoverMs = 1_800;
/** When a node lives and one of its addresses is gone: each is asked for in turn, and then all of them twice. */
export const orphanMs = 3_500;
/** When one thing fails several nodes: watchers that died with the holder are found dead before others look at it. */
export const failoverOfManyMs = 5_000;
/**
 * When several things fail together: both watchers may be dead with the holder, and hold nothing themselves, so that
 * nobody looks before their Leases end (10 s); then the failover itself, perhaps twice.
 */
export const failoverInTroubleMs = 16_000;
/** A member is counted on once its agent has run for so long: its Lease is written, the others know it. */
export const readyAfterMs = 12_000;
/** Members answer for what they do not hold (IPVS without strictARP): each may take so long to say that it does. */
export const misleadingMs = 2_500;
/** A planned move overlaps on purpose; where frames are lost the last word takes longer. */
export const overlapMs = 1_500;
export const overlapInTroubleMs = 5_000;
/** From naming a successor to its having the address, at most: the holder may have died meanwhile. */
export const handoverMs = 4_000;
/** Two that hold it after a partition find each other, and one yields; who could not read its kernel tries again in 2 s. */
export const reunionMs = 3_000;
/** Who could not read the cluster tries again after a while, which grows with each failure. */
export const resyncMs = 15_000;
/** Kernels keep addresses for so long at most without an agent. */
export const lifetimeMs = 300_000;
/** Nothing but renewals is written when all has been well for so long. */
export const settledAfterMs = 45_000;
/** A new Service's address is on a node. */
export const firstUseMs = 3_000;
/** How far back a failure still makes another one slower. */
export const aftermathMs = 25_000;
