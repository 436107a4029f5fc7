/** A bucket of an S3 store, reached under the credentials that the SDK finds: environment, profile, role of the machine. */
export interface S3BlobsPlace {
  readonly bucket: string;
  /** Empty, or what all keys begin with, without a `/` at its end. */
  readonly prefix: string;
  /** Undefined: AWS's own. */
  readonly endpoint?: string | undefined;
  /** Where clients reach the store, when that is elsewhere. */
  readonly publicEndpoint?: string | undefined;
  readonly region?: string | undefined;
  /** Undefined: at an endpoint of its own yes, at AWS no. */
  readonly pathStyle?: boolean | undefined;
}
