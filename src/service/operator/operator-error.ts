export type OperatorErrorKind = 'missing' | 'exists' | 'invalid';

/** What an operator asked for cannot be; the message is for that person. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
  readonly kind: OperatorErrorKind;

  constructor(kind: OperatorErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
