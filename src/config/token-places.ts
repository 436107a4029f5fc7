import { stat } from 'node:fs/promises';
import { errorCode } from '../lib/error-code.ts';
import { ProfileFile } from './profile-file.ts';
import { checkedToken, readTokenFile } from './token-file.ts';

/** A file that holds a token. `endpoint`: that of the profile when it was read. */
export type TokenPlace =
  | { readonly kind: 'file'; readonly path: string }
  | {
      readonly kind: 'profile';
      readonly path: string;
      readonly profile: string;
      readonly endpoint?: string | undefined;
    };

/** Plain data: it is sent to the process that serves a mount. */
export interface TokenPlaces {
  /** Where the token came from; undefined when it was no file. */
  readonly own: TokenPlace | undefined;
  /** Where `svcfs login` puts one. */
  readonly loggedIn: TokenPlace;
}

/** Finds tokens that were put into their files after the one in use was read. */
export class TokenLooks {
  readonly #places: TokenPlaces;
  readonly #endpoint: string;
  /** What each file was when it was looked at last. */
  readonly #seen = new Map<TokenPlace, string>();

  constructor(places: TokenPlaces, endpoint: string) {
    this.#places = places;
    this.#endpoint = endpoint;
  }

  /**
   * The tokens in files that changed since the last look. The profile of a login is looked at only once the token in use
   * was refused.
   *
   * @throws CredentialsError when a file that changed cannot be used
   */
  async look(refused: boolean): Promise<readonly string[]> {
    const { own, loggedIn } = this.#places;
    const places = refused ? [own, loggedIn] : [own];
    const tokens: string[] = [];
    for (const place of places) {
      if (place === undefined || !(await this.#hasChanged(place))) continue;
      const token = await this.#tokenIn(place);
      if (token !== undefined) tokens.push(checkedToken(token));
    }
    return tokens;
  }

  /** A pipe has nothing that could be read again. */
  async #hasChanged(place: TokenPlace): Promise<boolean> {
    const facts = await stat(place.path, { bigint: true }).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (facts === undefined || !facts.isFile()) return false;
    const now = [facts.dev, facts.ino, facts.size, facts.mtimeNs, facts.ctimeNs].join();
    if (this.#seen.get(place) === now) return false;
    this.#seen.set(place, now);
    return true;
  }

  async #tokenIn(place: TokenPlace): Promise<string | undefined> {
    if (place.kind === 'file') return readTokenFile(place.path);
    const profile = (await ProfileFile.read(place.path, 'platform'))?.profile(place.profile);
    // The profile of another service by now: its token is not for this one.
    const endpoints = [undefined, this.#endpoint, place.endpoint].map(plain);
    return endpoints.includes(plain(profile?.endpoint)) ? profile?.token : undefined;
  }
}

function plain(endpoint: string | undefined): string | undefined {
  return endpoint?.replace(/\/+$/, '');
}
