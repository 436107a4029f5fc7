/**
 * Profiles in a file of endpoints and tokens:
 *
 *   [default]
 *   api_endpoint = https://api.example.org/v2
 *   auth_token   = …
 */
import { DIALECTS, type Dialect } from '../contract/dialect.ts';
import { errorCode } from '../lib/error-code.ts';
import { nearestWord } from '../lib/nearest-word.ts';
import { plainReason } from '../lib/plain-reason.ts';
import { isVolumeSection, type VolumeKeys, volumeKeys } from './bucket-keys.ts';
import { CredentialsError } from './credentials-error.ts';
import { IniError, type IniSections, parseIni } from './ini-text.ts';
import { readPrivateFile } from './private-file.ts';
import { PROFILE_KEYS } from './profile-keys.ts';

export interface Profile {
  readonly endpoint: string | undefined;
  readonly token: string | undefined;
  readonly dialect: Dialect | undefined;
}

const SECRET_KEYS = ['auth_token', 'secret_access_key', 'session_token'] as const;

/** The profiles of one file. */
export class ProfileFile {
  readonly path: string;
  readonly #sections: IniSections;
  readonly #isOurs: boolean;

  /**
   * `ours`: a key that we do not know is a slip. The platform's file is for other programs too.
   *
   * @returns undefined when there is no such file
   * @throws CredentialsError when others may read it, or it is no such file
   */
  static async read(path: string, whose: 'ours' | 'platform'): Promise<ProfileFile | undefined> {
    try {
      return new ProfileFile(path, parseIni(await readPrivateFile(path)), whose === 'ours');
    } catch (error) {
      if (error instanceof CredentialsError) throw error;
      if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
      const reason = error instanceof IniError ? error.message : plainReason(error);
      throw new CredentialsError(`cannot read profiles from ${path}: ${reason}`, { cause: error });
    }
  }

  private constructor(path: string, sections: IniSections, isOurs: boolean) {
    this.path = path;
    this.#sections = sections;
    this.#isOurs = isOurs;
  }

  get names(): readonly string[] {
    return [...this.#sections.keys()].filter((name) => !isVolumeSection(name));
  }

  /** All that nobody else may know, of any section. */
  get secrets(): readonly string[] {
    return [...this.#sections.values()].flatMap((keys) => SECRET_KEYS.flatMap((key) => keys.get(key) || []));
  }

  /** Keys of the buckets of volumes. @throws CredentialsError when a section of them is none */
  volumes(): readonly VolumeKeys[] {
    return [...this.#sections].flatMap(([name, keys]) =>
      isVolumeSection(name) ? volumeKeys(name, keys, this.path) : [],
    );
  }

  /** @throws CredentialsError when a key or value of it is none */
  profile(name: string): Profile | undefined {
    const keys = this.#sections.get(name);
    if (keys === undefined) return undefined;
    const where = `profile ${name} in ${this.path}`;
    if (this.#isOurs) for (const key of keys.keys()) requireKnown(key, where);
    return {
      endpoint: keys.get('api_endpoint') || undefined,
      token: keys.get('auth_token') || undefined,
      dialect: dialectOf(keys.get('dialect'), where),
    };
  }
}

/**
 * Refuses a mistyped key. Otherwise its value would come from elsewhere, as the token of another account from the
 * environment.
 */
function requireKnown(key: string, where: string): void {
  if (PROFILE_KEYS.some((known) => known === key)) return;
  throw new CredentialsError(
    `unknown key ${key} of ${where}: did you mean ${nearestWord(key, PROFILE_KEYS)}?`,
  );
}

function dialectOf(text: string | undefined, where: string): Dialect | undefined {
  if (!text) return undefined;
  const known = DIALECTS.find((dialect) => dialect === text);
  if (known !== undefined) return known;
  throw new CredentialsError(`unknown dialect ${text} of ${where}: it is one of ${DIALECTS.join(', ')}`);
}
