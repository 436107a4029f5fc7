import type { Readable } from 'node:stream';
import type { Agent } from 'undici';

/** A request as the SDK has signed it. */
interface SignedRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly path: string;
  readonly query: Readonly<Record<string, string | readonly string[] | null | undefined>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | Readable | undefined;
}

interface Handled {
  readonly response: {
    readonly statusCode: number;
    readonly headers: Record<string, string>;
    readonly body: Readable;
  };
}

/** Sends the requests of the SDK by the connections of this client: its proxies and certificates count there too. */
export class UndiciHandler {
  readonly #agent: Agent;

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  async handle(
    request: SignedRequest,
    { abortSignal }: { readonly abortSignal?: unknown } = {},
  ): Promise<Handled> {
    const { method, protocol, hostname, port, path, headers, body } = request;
    const host = port === undefined ? hostname : `${hostname}:${port}`;
    // Of large bodies: the signature leaves it out, and undici refuses it.
    const sent = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'expect');
    const answer = await this.#agent.request({
      origin: `${protocol}//${host}`,
      path: path + queryOf(request.query),
      method: method as 'GET',
      headers: Object.fromEntries(sent),
      body: body ?? null,
      signal: (abortSignal as AbortSignal | undefined) ?? null,
    });
    return {
      response: { statusCode: answer.statusCode, headers: flat(answer.headers), body: answer.body },
    };
  }

  /** The agent is ended by its owner. */
  destroy(): void {}

  updateHttpClientConfig(): void {}

  httpHandlerConfigs(): Record<string, never> {
    return {};
  }
}

/** In the form that was signed (RFC 3986). */
function queryOf(query: SignedRequest['query']): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each: string | null | undefined) =>
      each === null || each === undefined ? escaped(name) : `${escaped(name)}=${escaped(each)}`,
    ),
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function escaped(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
