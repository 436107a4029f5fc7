/** The identity that the service shows to a store. */
export type BucketCredentials =
  | { readonly kind: 'keys'; readonly accessKey: string; readonly secretKey: string }
  | { readonly kind: 'role'; readonly roleArn: string; readonly externalId: string | undefined };

/** Of the credentials of a volume, the public part and the secret one. */
export function bucketCredentials(
  shown: Readonly<Record<string, string>>,
  secret: Readonly<Record<string, string>>,
): BucketCredentials {
  const { role_arn: roleArn, access_key_id: accessKey = '' } = shown;
  return accessKey === '' && roleArn !== undefined
    ? { kind: 'role', roleArn, externalId: secret['external_id'] || undefined }
    : { kind: 'keys', accessKey, secretKey: secret['secret_access_key'] ?? '' };
}
