/** Bytes that are not what they claim to be. Every decoder throws this and nothing else. */
export class WireError extends Error {
  override readonly name = 'WireError';
  readonly code: 'WIRE_TRUNCATED' | 'WIRE_MALFORMED';

  constructor(code: WireError['code'], message: string) {
    super(message);
    this.code = code;
  }
}
