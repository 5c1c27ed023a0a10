import { failure, type SourceFailure } from './address-source.ts';

/**
 * An attempt that is not the last. `moved`: someone else was faster; `unclear`: it may have been done; `unseen`: Netbox
 * says there is a record already; `terms`: a prefix or range is not where it was; `fields`: there is no such custom field.
 */
export interface Step {
  readonly kind: 'again';
  readonly why: 'moved' | 'unclear' | 'unseen' | 'terms' | 'fields';
  readonly failure: SourceFailure | undefined;
}

export function isStep(value: { readonly kind: string }): value is Step {
  return value.kind === 'again';
}

export function again(why: Step['why'], cause?: SourceFailure): Step {
  const moved = failure('unavailable', 'changes faster than it can be asked');
  return { kind: 'again', why, failure: cause ?? moved };
}
