import type { Dialect } from '../../contract/dialect.ts';
import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/message-of.ts';
import { isObject, optionalTextAt } from '../parse/wire.ts';
import type { Call, Identity, Send } from './call.ts';

/** Files are asked whether they hold another token no more often. */
const LOOK_EVERY_MS = 3000;

const UNAUTHORIZED = 401;

export interface IdentityOptions {
  readonly token: string;
  readonly dialect: Dialect;
  /** Somebody chose the dialect; else the first answer that shows a user proves it, or the other one is tried once. */
  readonly dialectSettled: boolean;
  /** Tokens that were put in place of the one in use: after that was `refused`, from more places. */
  readonly newTokens?: ((refused: boolean) => Promise<readonly string[]>) | undefined;
  readonly onChange?: ((change: IdentityChange) => void) | undefined;
}

export type IdentityChange =
  | { readonly kind: 'dialect'; readonly dialect: Dialect }
  | { readonly kind: 'token' }
  /** A token that is there, and cannot take the place of the one in use. */
  | { readonly kind: 'token not taken'; readonly reason: string };

/**
 * The token and the dialect of a client's calls, which may change while it lives. A token is taken up when the service
 * shows the same user for it: what a mount keeps belongs to that one.
 */
export class ChangingIdentity {
  #current: Identity;
  readonly #options: IdentityOptions;
  readonly #clock: Clock;
  #dialectSettled: boolean;
  #username: string | undefined;
  #lookedAtMs: number;
  #renewal: Promise<boolean> | undefined;
  #triedInBoth: string | undefined;

  constructor(options: IdentityOptions, clock: Clock) {
    this.#current = { token: options.token, dialect: options.dialect };
    this.#dialectSettled = options.dialectSettled;
    this.#options = options;
    this.#clock = clock;
    this.#lookedAtMs = clock.monotonic();
  }

  get current(): Identity {
    return this.#current;
  }

  /** Each call is sent a second time when the token was refused, and another token or dialect is found meanwhile. */
  renewing(send: Send): Send {
    return async (call) => {
      if (call.uncounted) return send(call);
      this.#lookNowAndThen(send);
      const used = this.#current;
      const answer = await send(call);
      if (answer.status !== UNAUTHORIZED) {
        if (answer.status < 300) this.#accepted(call, used, answer.body);
        return answer;
      }
      if (used === this.#current && !(await this.#renew(send, { refused: true }))) return answer;
      return send(call);
    };
  }

  #accepted({ name }: Call, used: Identity, body: unknown): void {
    if (name === 'GET /user') this.#username = usernameIn(body) ?? this.#username;
    if (!this.#dialectSettled && used === this.#current) this.#settle(used.dialect);
  }

  #settle(dialect: Dialect): void {
    this.#dialectSettled = true;
    this.#options.onChange?.({ kind: 'dialect', dialect });
  }

  /** In the background: no call waits for a file while the token is good. */
  #lookNowAndThen(send: Send): void {
    const nowMs = this.#clock.monotonic();
    if (this.#options.newTokens === undefined || nowMs - this.#lookedAtMs < LOOK_EVERY_MS) return;
    this.#lookedAtMs = nowMs;
    void this.#renew(send, { refused: false }).catch(() => undefined);
  }

  /** Whether there is another identity than before, one at a time for all calls that wait for it. */
  async #renew(send: Send, { refused }: { readonly refused: boolean }): Promise<boolean> {
    const before = this.#current;
    // One that began without the refusal did not look everywhere.
    while (this.#renewal !== undefined) await this.#renewal.catch(() => undefined);
    if (this.#current !== before) return true;
    this.#renewal = this.#find(send, refused);
    try {
      return await this.#renewal;
    } finally {
      this.#renewal = undefined;
    }
  }

  async #find(send: Send, refused: boolean): Promise<boolean> {
    for (const token of await this.#newTokens(refused)) {
      if (await this.#isTaken(send, { ...this.#current, token })) {
        this.#options.onChange?.({ kind: 'token' });
        return true;
      }
    }
    return refused && !this.#dialectSettled && this.#isOfOtherDialect(send);
  }

  /** Asked once for a token: whom the service does not know in either dialect it does not know. */
  async #isOfOtherDialect(send: Send): Promise<boolean> {
    const { token, dialect } = this.#current;
    if (this.#triedInBoth === token) return false;
    const other: Dialect = dialect === 'svc' ? 'sbg' : 'svc';
    const taken = await this.#isTaken(send, { token, dialect: other });
    this.#triedInBoth = token;
    if (taken) this.#settle(other);
    return taken;
  }

  async #newTokens(refused: boolean): Promise<readonly string[]> {
    try {
      const tokens = (await this.#options.newTokens?.(refused)) ?? [];
      return tokens.filter((token) => token !== this.#current.token);
    } catch (error) {
      this.#options.onChange?.({ kind: 'token not taken', reason: messageOf(error) });
      return [];
    }
  }

  /** Asks who it is, and goes on as that one if it is the same user. */
  async #isTaken(send: Send, identity: Identity): Promise<boolean> {
    const { status, body } = await send({ ...WHO_AM_I, as: identity });
    const username = status < 300 ? usernameIn(body) : undefined;
    if (username === undefined) return false;
    if (this.#username !== undefined && username !== this.#username) {
      const reason = `it is ${username}’s, and ${this.#username} is whom this mount is for: mount again to change that`;
      this.#options.onChange?.({ kind: 'token not taken', reason });
      return false;
    }
    this.#username = username;
    this.#current = identity;
    return true;
  }
}

const WHO_AM_I: Call = {
  name: 'GET /user',
  method: 'GET',
  path: '/user',
  whenLost: 'repeat',
  priority: 'interactive',
};

function usernameIn(body: unknown): string | undefined {
  return isObject(body) ? optionalTextAt(body, 'username') : undefined;
}
