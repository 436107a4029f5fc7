/**
 * Acts that only the operator of the service may do: on people, tokens, billing groups, marks on files and apps, ends
 * of tasks. Every change is in the audit log, written by the transaction that makes it.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { randomId } from '../../lib/random-id.ts';
import { appsIn } from '../apps/app-table.ts';
import { billingGroupsIn } from '../billing/billing-group-table.ts';
import { filesIn } from '../files/tables/file-table.ts';
import type { Caller } from '../http/caller.ts';
import { auditEntries, tokenIdOf } from '../operations/audit/audit-entry.ts';
import { auditIn } from '../operations/audit/audit-table.ts';
import type { Flag } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { hashToken } from '../users/token-hash.ts';
import type { TokenRow } from '../users/token-table.ts';
import { tokensIn } from '../users/token-table.ts';
import { EMPTY_PROFILE, type UserProfile } from '../users/user-resource.ts';
import type { UserRow } from '../users/user-table.ts';
import { usersIn } from '../users/user-table.ts';
import { endForeignTask, type ForeignTaskEnd } from './end-foreign-task.ts';
import { OperatorError } from './operator-error.ts';

const TOKEN_BYTES = 24;
/** Part of the ids of projects and volumes, and of their addresses. */
const USERNAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,99}$/;
const EMAIL = /^[^\s@]+@[^\s@]+$/;

export interface OperatorOptions {
  readonly store: Store;
  readonly clock: Clock;
}

export interface FileMarks {
  readonly public?: boolean | undefined;
  readonly archived?: boolean | undefined;
  /** Null takes the mark away. */
  readonly dataset?: string | null | undefined;
}

/** A change for the audit log: the action below `operator.`, its object, and what else is to be told. */
type Act = readonly [action: string, object: string, detail?: Readonly<Record<string, unknown>>];

export class Operator {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #name: string;

  /** @param name Who it is, for the audit log. */
  constructor({ store, clock }: OperatorOptions, name = 'operator') {
    this.#store = store;
    this.#clock = clock;
    this.#name = name;
  }

  /** @returns Whom actions on behalf of the user take as their caller. @throws OperatorError */
  async createUser(
    username: string,
    options: { readonly email?: string; readonly profile?: Partial<UserProfile> } = {},
  ): Promise<Caller> {
    const { email = username.includes('@') ? username : `${username}@example.org`, profile } = options;
    if (!USERNAME.test(username)) {
      throw new OperatorError(
        'invalid',
        `${username} cannot be a user name: letters, digits and . _ @ - can`,
      );
    }
    if (!EMAIL.test(email)) throw new OperatorError('invalid', `${email} is no e-mail address`);
    await this.#change(['user.add', username], async (tx) => {
      if ((await usersIn(tx).find(username)) !== undefined) {
        throw new OperatorError('exists', `there is a user ${username} already`);
      }
      const other = await usersIn(tx).findByEmail(email);
      if (other !== undefined)
        throw new OperatorError('exists', `${email} is the address of ${other.username}`);
      const stored = JSON.stringify({ ...EMPTY_PROFILE, ...profile });
      await usersIn(tx).insert({ username, email, profile: stored, created_on: this.#now() });
    });
    return { username, tokenHash: '' };
  }

  /** A disabled user's tokens are refused, and jobs not begun, from the next one on. @throws OperatorError */
  async setDisabled(username: string, disabled: boolean): Promise<void> {
    await this.#change([disabled ? 'user.disable' : 'user.enable', username], async (tx) => {
      await userOf(tx, username);
      await usersIn(tx).setDisabled(username, disabled ? this.#now() : null);
    });
  }

  /** @returns The token itself, which is kept nowhere. @throws OperatorError */
  async issueToken(
    username: string,
    options: { readonly expiresMs?: number | undefined; readonly note?: string | undefined } = {},
  ): Promise<string> {
    const token = randomBytes(TOKEN_BYTES).toString('hex');
    const hash = hashToken(token);
    const { expiresMs, note = null } = options;
    const expires_on = expiresMs === undefined ? null : storedTime(expiresMs);
    await this.#change(['token.create', tokenIdOf(hash), { username, expires_on }], async (tx) => {
      await userOf(tx, username);
      await tokensIn(tx).insert({ hash, username, created_on: this.#now(), expires_on, note });
    });
    return token;
  }

  async revokeToken(token: string): Promise<void> {
    await this.#revoke(hashToken(token));
  }

  /** @param id The beginning of its hash, as it is listed. @returns What it was. @throws OperatorError */
  async revokeTokenById(id: string): Promise<TokenRow> {
    const found = /^[0-9a-f]+$/.test(id) ? await tokensIn(this.#store).findByPrefix(id) : [];
    const [token, another] = found;
    if (token === undefined) throw new OperatorError('missing', `there is no token ${id}`);
    if (another !== undefined) throw new OperatorError('missing', `several tokens begin with ${id}`);
    await this.#revoke(token.hash);
    return token;
  }

  /** @returns How many. @throws OperatorError */
  async revokeTokensOf(username: string): Promise<number> {
    await userOf(this.#store, username);
    const tokens = (await tokensIn(this.#store).list(username)).filter(
      ({ revoked_on }) => revoked_on === null,
    );
    for (const { hash } of tokens) await this.#revoke(hash);
    return tokens.length;
  }

  /** @returns Its id. @throws OperatorError */
  async createBillingGroup(owner: string, name: string): Promise<string> {
    const id = randomUUID();
    const group = { id, owner, name, type: 'free', disabled: 0 as Flag, created_on: this.#now() };
    await this.#change(['billing.create', id, { username: owner }], async (tx) => {
      await userOf(tx, owner);
      await billingGroupsIn(tx).insert(group);
    });
    return id;
  }

  /** @throws OperatorError */
  async setBillingGroupOwner(id: string, owner: string): Promise<void> {
    await this.#change(['billing.owner', id, { username: owner }], async (tx) => {
      await userOf(tx, owner);
      if (!(await billingGroupsIn(tx).setOwner(id, owner))) {
        throw new OperatorError('missing', `there is no billing group ${id}`);
      }
    });
  }

  /** Marks a file as one that cannot be exported: public, archived, or of a hosted dataset. @throws OperatorError */
  async markFile(fileId: string, marks: FileMarks): Promise<void> {
    await this.#change(['file.mark', fileId, { ...marks }], async (tx) => {
      const file = await filesIn(tx).find(fileId);
      if (file === undefined) throw new OperatorError('missing', `there is no file ${fileId}`);
      if (file.kind === 'folder')
        throw new OperatorError('invalid', `${fileId} is a folder; only files are marked`);
      await filesIn(tx).update(fileId, {
        ...(marks.public === undefined ? {} : { is_public: marks.public ? 1 : 0 }),
        ...(marks.archived === undefined ? {} : { is_archived: marks.archived ? 1 : 0 }),
        ...(marks.dataset === undefined ? {} : { dataset: marks.dataset }),
      });
    });
  }

  /** Shows an app to everybody, or hides it again. @throws OperatorError */
  async publishApp(appId: string, options: { readonly public: boolean } = { public: true }): Promise<void> {
    await this.#change([options.public ? 'app.publish' : 'app.unpublish', appId], async (tx) => {
      if ((await appsIn(tx).find(appId)) === undefined) {
        throw new OperatorError('missing', `there is no app ${appId}`);
      }
      await appsIn(tx).update(appId, { is_public: options.public ? 1 : 0 });
    });
  }

  /** Records how a task ended that something outside of the service ran. @throws OperatorError */
  async endTask(id: string, end: ForeignTaskEnd): Promise<void> {
    await this.#change(['task.end', id, { status: end.status }], (tx) =>
      endForeignTask(tx, id, { ...end, now: this.#now() }),
    );
  }

  /** Records what the operator did elsewhere. */
  async recordRekey(keyId: string, count: number): Promise<void> {
    await this.#change(['secrets.rekey', keyId, { count }], async () => undefined);
  }

  async #revoke(hash: string): Promise<void> {
    await this.#change(['token.revoke', tokenIdOf(hash)], (tx) => tokensIn(tx).revoke(hash, this.#now()));
  }

  async #change([action, object, detail]: Act, work: (tx: Store) => Promise<void>): Promise<void> {
    const context = { atMs: this.#clock.now(), requestId: randomId(), username: this.#name };
    const entries = auditEntries(context, [{ action: `operator.${action}`, object, status: 200, detail }]);
    await this.#store.transaction(async (tx) => {
      await work(tx);
      await auditIn(tx).append(entries);
    });
  }

  #now(): string {
    return storedTime(this.#clock.now());
  }
}

async function userOf(store: Store, username: string): Promise<UserRow> {
  const user = await usersIn(store).find(username);
  if (user === undefined) throw new OperatorError('missing', `there is no user ${username}`);
  return user;
}
