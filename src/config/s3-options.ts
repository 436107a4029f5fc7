/** Where the service keeps its bytes when not in directories. Credentials are no options: the AWS SDK finds them. */
import { InvalidValue, type Option } from './option.ts';
import { parseEndpoint } from './option-text.ts';

/** A bucket, and what all keys in it begin with; empty when that is nothing. */
export interface BucketPlace {
  readonly bucket: string;
  readonly prefix: string;
}

/** `s3://BUCKET` or `s3://BUCKET/PREFIX`. */
export function parseBucketPlace(text: string): BucketPlace {
  const match = /^s3:\/\/(?<bucket>[A-Za-z0-9][A-Za-z0-9._-]+)(?:\/(?<prefix>.*))?$/.exec(text);
  const segments = match?.groups?.['prefix']?.split('/').filter((segment) => segment !== '') ?? [];
  const bucket = match?.groups?.['bucket'];
  if (bucket === undefined || segments.some((segment) => segment === '.' || segment === '..')) {
    throw new InvalidValue('Expected a bucket and perhaps a prefix, such as s3://lab-blobs/svcfs.');
  }
  return { bucket, prefix: segments.join('/') };
}

const blobs: Option<BucketPlace | undefined> = {
  flags: '--blobs <url>',
  help: 'S3 bucket that keeps the contents of files, as s3://bucket/prefix; credentials are found as the AWS CLI finds them',
  environment: 'SVCFS_BLOBS',
  default: undefined,
  defaultText: 'the data directory',
  parse: parseBucketPlace,
};

const s3Endpoint: Option<string | undefined> = {
  flags: '--s3-endpoint <url>',
  help: 'URL of the S3 store of --blobs',
  environment: 'SVCFS_S3_ENDPOINT',
  default: undefined,
  defaultText: 'AWS',
  parse: parseEndpoint,
};

const s3PublicEndpoint: Option<string | undefined> = {
  flags: '--s3-public-endpoint <url>',
  help: 'URL at which clients reach the store of --blobs, where it differs from --s3-endpoint',
  environment: 'SVCFS_S3_PUBLIC_ENDPOINT',
  default: undefined,
  defaultText: 'the same',
  parse: parseEndpoint,
};

const s3Region: Option<string | undefined> = {
  flags: '--s3-region <region>',
  help: 'region of the store of --blobs',
  environment: 'SVCFS_S3_REGION',
  default: undefined,
  defaultText: "the endpoint's, AWS_REGION, us-east-1",
};

const s3PathStyle: Option<'auto' | 'always' | 'never'> = {
  flags: '--s3-path-style <when>',
  help: 'whether addresses of the store of --blobs have the bucket in their path instead of their host; auto: yes, except at AWS',
  environment: 'SVCFS_S3_PATH_STYLE',
  default: 'auto',
  choices: ['auto', 'always', 'never'],
};

const volumeEndpoint: Option<string | undefined> = {
  flags: '--volume-endpoint <url>',
  help: 'URL of the S3 store of volumes that name no endpoint, such as https://s3.amazonaws.com',
  environment: 'SVCFS_VOLUME_ENDPOINT',
  default: undefined,
  defaultText: 'directories in the data directory',
  parse: parseEndpoint,
};

const s3StsEndpoint: Option<string | undefined> = {
  flags: '--s3-sts-endpoint <url>',
  help: 'URL of the S3 store, other than AWS, at which the service may assume a role for a volume (AssumeRole)',
  environment: 'SVCFS_S3_STS_ENDPOINT',
  default: undefined,
  defaultText: 'AWS alone',
  parse: parseEndpoint,
};

export const S3_OPTIONS = {
  blobs,
  s3Endpoint,
  s3PublicEndpoint,
  s3Region,
  s3PathStyle,
  volumeEndpoint,
  s3StsEndpoint,
} as const;
