/** `sent` means handed to the link; nothing on a wire says more than that. */
export type SendOutcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'failed'; readonly reason: SendFailure; readonly errno: number };

export type SendFailure =
  | 'link-down'
  | 'link-gone'
  /** The link's queue or the socket's buffer is full: worth trying again. */
  | 'no-buffer-space'
  /** CAP_NET_RAW is missing. */
  | 'not-permitted'
  | 'other';
