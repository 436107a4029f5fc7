import { DecoratorHandler, type Dispatcher, Pool } from 'undici';
import { type ProxyAddress, placeOf } from '../../lib/proxy-address.ts';
import type { Network, Way } from './network.ts';
import { PROXY_AUTHENTICATION_REQUIRED, refusalOf } from './proxy-error.ts';

/** Undici's connections to an origin, on the way that the network has for it. */
export function poolOn(network: Network, origin: URL, options: Pool.Options): Pool {
  let way: Way;
  try {
    way = network.wayTo(origin);
  } catch {
    // Each connection tells why.
    way = { kind: 'direct' };
  }
  return way.kind === 'forwarded'
    ? new ForwardedPool(origin, way.proxy, options)
    : new Pool(origin.origin, options);
}

/** Asks a proxy for whole addresses of an origin. */
class ForwardedPool extends Pool {
  readonly #origin: URL;
  readonly #proxy: ProxyAddress;

  constructor(origin: URL, proxy: ProxyAddress, options: Pool.Options) {
    super(`${proxy.secure ? 'https' : 'http'}://${placeOf(proxy)}`, options);
    this.#origin = origin;
    this.#proxy = proxy;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { origin, host } = this.#origin;
    const { authorization } = this.#proxy;
    const given = options.headers as Readonly<Record<string, string>> | null | undefined;
    const headers = { ...given, host, ...(authorization && { 'proxy-authorization': authorization }) };
    const asked = { ...options, origin, path: `${origin}${options.path}`, headers };
    return super.dispatch(asked, new RefusalHandler(handler, this.#proxy, host));
  }
}

type ResponseStart = NonNullable<Dispatcher.DispatchHandler['onResponseStart']>;

interface ResponseHandler extends Dispatcher.DispatchHandler {
  onResponseStart(...args: Parameters<ResponseStart>): void;
}

/** Undici's type of it has none of its methods. */
const Decorated = DecoratorHandler as unknown as new (handler: Dispatcher.DispatchHandler) => ResponseHandler;

/** Tells a refusal of the proxy from an answer of the server. */
class RefusalHandler extends Decorated {
  readonly #proxy: ProxyAddress;
  readonly #target: string;

  constructor(handler: Dispatcher.DispatchHandler, proxy: ProxyAddress, target: string) {
    super(handler);
    this.#proxy = proxy;
    this.#target = target;
  }

  override onResponseStart(...args: Parameters<ResponseStart>): void {
    const [controller, status] = args;
    if (status !== PROXY_AUTHENTICATION_REQUIRED) super.onResponseStart(...args);
    else controller.abort(refusalOf(this.#proxy, this.#target, status));
  }
}
