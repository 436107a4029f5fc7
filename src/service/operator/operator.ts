import { randomBytes, randomUUID } from 'node:crypto';
import { storedTime } from '../api-time.ts';
import type { Caller } from '../caller.ts';
import { EMPTY_PROFILE, type UserProfile } from '../resources/user-resource.ts';
import { hashToken } from '../rules/token-hash.ts';
import type { Services } from '../services.ts';
import type { Flag } from '../store/schema.ts';

const TOKEN_BYTES = 24;

/** What only the one who runs the service may do: people, tokens, billing groups, marks on files and apps. */
export class Operator {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** @returns Whom actions on behalf of the user take as their caller. */
  async createUser(
    username: string,
    options: { readonly email?: string; readonly profile?: Partial<UserProfile> } = {},
  ): Promise<Caller> {
    await this.#services.store.users.insert({
      username,
      email: options.email ?? `${username}@example.org`,
      profile: JSON.stringify({ ...EMPTY_PROFILE, ...options.profile }),
      created_on: this.#now(),
    });
    return { username, tokenHash: '' };
  }

  /** @returns The token itself, which is kept nowhere. */
  async issueToken(username: string, options: { readonly expiresMs?: number } = {}): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString('hex');
    await this.#services.store.tokens.insert({
      hash: hashToken(token),
      username,
      created_on: this.#now(),
      expires_on: options.expiresMs === undefined ? null : storedTime(options.expiresMs),
      revoked_on: null,
    });
    return token;
  }

  async revokeToken(token: string): Promise<void> {
    await this.#services.store.tokens.revoke(hashToken(token), this.#now());
  }

  /** @returns Its id. */
  async createBillingGroup(owner: string, name: string): Promise<string> {
    const id = randomUUID();
    const group = { id, owner, name, type: 'free', disabled: 0 as Flag, created_on: this.#now() };
    await this.#services.store.billingGroups.insert(group);
    return id;
  }

  /** Marks a file as one that cannot be exported: public, archived, or of a hosted dataset. */
  async markFile(
    fileId: string,
    marks: { readonly public?: boolean; readonly archived?: boolean; readonly dataset?: string | null },
  ): Promise<void> {
    await this.#services.store.files.update(fileId, {
      ...(marks.public === undefined ? {} : { is_public: marks.public ? 1 : 0 }),
      ...(marks.archived === undefined ? {} : { is_archived: marks.archived ? 1 : 0 }),
      ...(marks.dataset === undefined ? {} : { dataset: marks.dataset }),
    });
  }

  /** Shows an app to everybody, or hides it again. */
  async publishApp(appId: string, options: { readonly public: boolean } = { public: true }): Promise<void> {
    await this.#services.store.apps.update(appId, { is_public: options.public ? 1 : 0 });
  }

  #now(): string {
    return storedTime(this.#services.clock.now());
  }
}
