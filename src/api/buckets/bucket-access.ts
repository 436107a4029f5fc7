/** A pair of keys, or the profile of the AWS files that has one. */
export type BucketKeys =
  | {
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken: string | undefined;
    }
  | { readonly profile: string };

/** The keys that a user has for the bucket of a volume, and what they say of its store. */
export interface BucketAccess {
  /** `owner/name` */
  readonly volume: string;
  readonly keys: BucketKeys;
  /** Undefined: as the volume has it. */
  readonly endpoint: string | undefined;
  /** Undefined: as the endpoint or the store tells. */
  readonly region: string | undefined;
  /** The bucket stands in the path, not in the host's name. Undefined: at every store but AWS. */
  readonly pathStyle: boolean | undefined;
  /** Where the keys are, for a person: a section of a file. */
  readonly place: string;
}
