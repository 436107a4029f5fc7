export type OperatorErrorKind = 'missing' | 'exists' | 'invalid';

/** A request of an operator that cannot be met; the message is for that person. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly kind: OperatorErrorKind;

  constructor(kind: OperatorErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
