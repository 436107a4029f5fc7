import { TOKEN_EXPIRES_HEADER } from '../../contract/headers.ts';
import { untilAborted } from '../../lib/until-aborted.ts';
import type { OwnUser } from '../api.ts';
import type { CallOptions } from '../call-options.ts';
import type { Capability } from '../model.ts';
import { asObject, isSecure, isWebAddress, optionalTextAt, textAt, textsAt } from '../parse/wire.ts';
import type { Answer } from '../transport/call.ts';
import type { Caller } from '../transport/caller.ts';

/** The facts that the service gives about itself and the caller. */
export class RootClient {
  readonly #call: Caller;
  #capabilities: Promise<ReadonlySet<Capability>> | undefined;
  #known: ReadonlySet<Capability> = new Set();
  #downloadOrigin: string | undefined;

  constructor(call: Caller) {
    this.#call = call;
  }

  whoAmI(options?: CallOptions): Promise<OwnUser> {
    return this.#call({ route: 'GET /user', parse: parseUser }, options);
  }

  /** Asked once; a question that failed is asked again by the next who wants to know. */
  capabilities(options?: CallOptions): Promise<ReadonlySet<Capability>> {
    this.#capabilities ??= this.#askCapabilities();
    // The question is everybody's: a signal ends only the waiting of the one who gave it.
    return untilAborted(this.#capabilities, options?.signal);
  }

  isKnownToOffer(capability: Capability): boolean {
    return this.#known.has(capability);
  }

  downloadOrigin(): string | undefined {
    return this.#downloadOrigin;
  }

  async #askCapabilities(): Promise<ReadonlySet<Capability>> {
    try {
      const { capabilities, origin } = await this.#call({
        route: 'GET /',
        uncounted: true,
        parse: parseRoot,
      });
      this.#known = capabilities;
      this.#downloadOrigin = origin;
      return this.#known;
    } catch (error) {
      this.#capabilities = undefined;
      throw error;
    }
  }
}

function parseUser(body: unknown, { headers }: Answer): OwnUser {
  const username = textAt(asObject(body, 'user'), 'username');
  const tokenEndsMs = Date.parse(headers[TOKEN_EXPIRES_HEADER.toLowerCase()] ?? '');
  return Number.isNaN(tokenEndsMs) ? { username } : { username, tokenEndsMs };
}

/** Names that this client does not know are of no use to it, and do no harm. */
function parseRoot(
  body: unknown,
  { overTls = false }: Answer,
): {
  readonly capabilities: ReadonlySet<Capability>;
  readonly origin: string | undefined;
} {
  const root = asObject(body, 'root');
  const origin = optionalTextAt(root, 'download_origin');
  const isOrigin = origin !== undefined && isWebAddress(origin) && (!overTls || isSecure(origin));
  return {
    capabilities: new Set(textsAt(root, 'capabilities') as readonly Capability[]),
    origin: isOrigin ? new URL(origin).origin : undefined,
  };
}
