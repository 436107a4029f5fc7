/** Why a mount could not be made or removed. */
export type MountErrorKind =
  | 'addon-missing'
  | 'no-device'
  | 'no-descriptor'
  | 'no-permission'
  | 'mount-point-missing'
  | 'not-a-directory'
  | 'not-empty'
  | 'already-mounted'
  | 'fusermount-missing'
  | 'busy'
  | 'held'
  | 'not-ours'
  | 'other';

/** The message says what is wrong and what to do, in one line for a person. */
export class MountError extends Error {
  override readonly name = 'MountError';
  readonly kind: MountErrorKind;

  constructor(kind: MountErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
