/** A request's body does not have the types that its kind asks for. */
export class DecodeError extends Error {}
