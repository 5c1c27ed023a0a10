/** A patch that this object cannot take, or that is no patch at all. */
export class PatchError extends Error {}

/** An item of a list that merges by a key lacks that key: the real server answers 500. */
export class MergeKeyError extends PatchError {}
