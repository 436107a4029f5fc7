/** Checks of the fields that a caller sends to create or edit a volume. */
import { VOLUME_NAME_LENGTH_MAX } from '../../contract/limits.ts';
import type { VolumeServiceInput } from '../../contract/volume.ts';
import { ServiceError } from '../http/service-error.ts';
import { checkProperties, type GivenProperties } from './export-properties.ts';
import { volumeKeyPrefix } from './volume-key.ts';

export type AccessMode = 'RW' | 'RO';

/** Where a volume's objects are, without what is secret about it. */
export interface VolumeAddress {
  /** Lower case. */
  readonly type: string;
  readonly bucket: string;
  /** Empty, or a folder of the bucket. */
  readonly prefix: string;
  /** Empty: the default one. */
  readonly endpoint: string;
  /** The public part of the credentials. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly properties: GivenProperties;
}

export interface CheckedService {
  readonly address: VolumeAddress;
  /** The secret part of the credentials, by its field. */
  readonly secret: Readonly<Record<string, string>>;
}

/** A user who learns an external id could connect the same role to a volume of their own. */
const SECRET_FIELDS = ['secret_access_key', 'external_id'];
/** The credentials for an S3 store: a pair of keys, or a role to take on. */
const CREDENTIAL_KINDS = [
  { needed: ['access_key_id', 'secret_access_key'], optional: [] },
  { needed: ['role_arn'], optional: ['external_id'] },
];

/** @throws ServiceError 9013, 9014, 9030 */
export function checkVolumeName(name: string | undefined): string {
  if (!name) throw new ServiceError(9013);
  if (name.length > VOLUME_NAME_LENGTH_MAX) throw new ServiceError(9030);
  if (!/^[A-Za-z0-9_]+$/.test(name)) throw new ServiceError(9014);
  return name;
}

/** @throws ServiceError 9015 */
export function checkAccessMode(mode: string | undefined): AccessMode {
  if (mode === 'RW' || mode === 'RO') return mode;
  throw new ServiceError(9015);
}

/**
 * @param before The service of the volume that is edited: what is not given stays as it is
 * @throws ServiceError 9016, 9019, 9028, 9029, 9031, 9034, and those of `checkProperties`
 */
export function checkService(given: VolumeServiceInput | undefined, before?: CheckedService): CheckedService {
  if (given === undefined && before === undefined) throw new ServiceError(9016);
  const type = (given?.type ?? before?.address.type ?? '').toLowerCase();
  if (type !== 's3') throw new ServiceError(9019);
  const credentials = checkCredentials(given?.credentials, before);
  const properties = { ...before?.address.properties, ...given?.properties };
  checkProperties(properties);
  return {
    address: {
      type,
      bucket: checkBucket(given?.bucket ?? before?.address.bucket),
      prefix: checkPrefix(given?.prefix ?? before?.address.prefix ?? ''),
      endpoint: checkEndpoint(given?.endpoint ?? before?.address.endpoint ?? ''),
      credentials: credentials.shown,
      properties,
    },
    secret: credentials.secret,
  };
}

/** One segment of a path, whatever the store: a directory bucket is called after it. */
function checkBucket(bucket: string | undefined): string {
  if (bucket === undefined || bucket === '')
    throw new ServiceError(9017, 'The service of the volume names no bucket.');
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/.test(bucket)) throw new ServiceError(9028);
  return bucket;
}

function checkPrefix(prefix: string): string {
  try {
    volumeKeyPrefix(prefix, '');
    return prefix;
  } catch (error) {
    throw new ServiceError(9031, undefined, { cause: error });
  }
}

/** No user and no query: what is answered and logged must hold no secret. */
function checkEndpoint(endpoint: string): string {
  if (endpoint === '') return endpoint;
  const url = /^https?:\/\//.test(endpoint) && URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || [url.username, url.password, url.search, url.hash].some((part) => part !== '')) {
    throw new ServiceError(9029);
  }
  return endpoint;
}

interface Credentials {
  readonly shown: Readonly<Record<string, string>>;
  readonly secret: Readonly<Record<string, string>>;
}

function checkCredentials(
  given: Readonly<Record<string, unknown>> | undefined,
  before: CheckedService | undefined,
): Credentials {
  const kept = { ...before?.address.credentials, ...before?.secret };
  for (const field of displacedBy(given)) delete kept[field];
  const all: Record<string, unknown> = { ...kept, ...given };
  const entries = Object.entries(all).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  const complete = CREDENTIAL_KINDS.some(({ needed }) => needed.every((field) => all[field]));
  if (!complete || entries.length < Object.keys(all).length) throw new ServiceError(9034);
  const isSecret = ([field]: [string, string]): boolean => SECRET_FIELDS.includes(field);
  return {
    shown: Object.fromEntries(entries.filter((entry) => !isSecret(entry))),
    secret: Object.fromEntries(entries.filter(isSecret)),
  };
}

/** Fields of the other kinds when one kind is given: a volume has a pair of keys or a role. */
function displacedBy(given: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  const kind = CREDENTIAL_KINDS.find(({ needed }) => needed.some((field) => given?.[field] !== undefined));
  const others = kind === undefined ? [] : CREDENTIAL_KINDS.filter((other) => other !== kind);
  return others.flatMap(({ needed, optional }) => [...needed, ...optional]);
}
