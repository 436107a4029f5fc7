/**
 * Keys of the buckets of volumes, in a section for each volume beside the profiles of `~/.svcfs/credentials`:
 *
 *   [volume:lab/data]
 *   access_key_id     = AKIA…
 *   secret_access_key = …
 *   endpoint          = https://s3.example.org
 *
 * With `profile = NAME` the keys are those of a profile of the AWS files.
 */
import { join } from 'node:path';
import { nearestWord } from '../lib/nearest-word.ts';
import { CredentialsError } from './credentials-error.ts';
import type { Environment } from './directories.ts';
import { InvalidValue } from './option.ts';
import { parseEndpoint } from './option-text.ts';
import { PROFILE_KEYS } from './profile-keys.ts';

export interface VolumeKeys {
  /** `owner/name` */
  readonly volume: string;
  readonly keys:
    | {
        readonly accessKeyId: string;
        readonly secretAccessKey: string;
        readonly sessionToken: string | undefined;
      }
    | { readonly profile: string };
  /** Of the store; undefined: as the volume has it. */
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  readonly pathStyle: boolean | undefined;
  /** The service that the volume is at; undefined: any. */
  readonly service: string | undefined;
  /** The section and its file, for a person. */
  readonly place: string;
}

const SECTION = /^volume:(.*)$/;

/** The keys of a section. */
export const VOLUME_KEYS = [
  'access_key_id',
  'secret_access_key',
  'session_token',
  'profile',
  'endpoint',
  'region',
  'path_style',
  'api_endpoint',
] as const;

/** Whether a section is about a volume, and no profile. */
export function isVolumeSection(name: string): boolean {
  return SECTION.test(name);
}

/** @throws CredentialsError that names the section, its file and the remedy, and shows no value */
export function volumeKeys(section: string, keys: ReadonlyMap<string, string>, path: string): VolumeKeys {
  const place = `[${section}] of ${path}`;
  const fail = (reason: string): never => {
    throw new CredentialsError(`${place}: ${reason}`);
  };
  const [, volume = ''] = SECTION.exec(section) ?? [];
  if (!/^[^/\s]+\/[^/\s]+$/.test(volume)) fail('write the volume as [volume:OWNER/NAME]');
  for (const key of keys.keys()) {
    // [DEFAULT] gives every section what profiles have.
    const isKnown = [...VOLUME_KEYS, ...PROFILE_KEYS].some((known) => known === key);
    if (!isKnown) fail(`unknown key ${key}: did you mean ${nearestWord(key, VOLUME_KEYS)}?`);
  }
  const value = (key: (typeof VOLUME_KEYS)[number]): string | undefined => keys.get(key) || undefined;
  return {
    volume,
    keys: keysOf(value, fail),
    endpoint: urlOf(value('endpoint'), 'endpoint', fail),
    region: value('region'),
    pathStyle: flagOf(value('path_style'), fail),
    service: urlOf(value('api_endpoint'), 'api_endpoint', fail),
    place,
  };
}

type Value = (key: (typeof VOLUME_KEYS)[number]) => string | undefined;
type Fail = (reason: string) => never;

function keysOf(value: Value, fail: Fail): VolumeKeys['keys'] {
  const accessKeyId = value('access_key_id');
  const secretAccessKey = value('secret_access_key');
  const profile = value('profile');
  if (profile !== undefined) {
    if (accessKeyId !== undefined || secretAccessKey !== undefined)
      fail('profile and a pair of keys exclude each other: leave out one of them');
    return { profile };
  }
  if (accessKeyId === undefined || secretAccessKey === undefined)
    return fail('give access_key_id and secret_access_key, or the profile of the AWS files that has them');
  return { accessKeyId, secretAccessKey, sessionToken: value('session_token') };
}

function urlOf(text: string | undefined, key: string, fail: Fail): string | undefined {
  if (text === undefined) return undefined;
  try {
    return parseEndpoint(text);
  } catch (error) {
    if (!(error instanceof InvalidValue)) throw error;
    return fail(`${key} is no URL of a server, such as https://s3.example.org`);
  }
}

function flagOf(text: string | undefined, fail: Fail): boolean | undefined {
  if (text === undefined || text === 'true' || text === 'false') return text && text === 'true';
  return fail(`path_style is true or false, not ${text}`);
}

/** The files that profiles of AWS are read from, as its own programs find them. */
export function awsFiles(environment: Environment, home: string): readonly string[] {
  return [
    environment['AWS_SHARED_CREDENTIALS_FILE'] || join(home, '.aws', 'credentials'),
    environment['AWS_CONFIG_FILE'] || join(home, '.aws', 'config'),
  ];
}
