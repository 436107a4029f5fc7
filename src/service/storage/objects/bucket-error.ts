/** Why a store refused; `volumes/bucket-failure.ts` says which error of the API each one is. */
export type BucketErrorKind =
  | 'no-bucket'
  | 'unknown-key'
  | 'wrong-secret'
  | 'role-refused'
  | 'list-denied'
  | 'get-denied'
  | 'put-denied'
  /** For a reason that is none of the others. */
  | 'refused'
  | 'wrong-region'
  | 'exists'
  /** Nothing serves that kind of store or that endpoint. */
  | 'bad-endpoint'
  /** The store cannot hold an object under that key. */
  | 'bad-key'
  /** It does not know, or may not use, what an object is to be stored with. */
  | 'bad-acl'
  | 'bad-encryption'
  | 'bad-storage-class'
  | 'unreachable';

export class BucketError extends Error {
  readonly kind: BucketErrorKind;

  constructor(kind: BucketErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BucketError';
    this.kind = kind;
  }
}
