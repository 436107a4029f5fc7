import { StorageError } from '../errors.ts';

/** Of 3xx, those that mean: the same request, at another address. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 307, 308]);
const MOST_HOPS = 5;

/** A store has the request made at another address, as Amazon S3 does for hours after a bucket was made. */
export class StoreRedirect extends StorageError {
  declare readonly status: number;
  /** As the store wrote it. */
  readonly location: string | undefined;

  constructor(status: number, location: string | undefined) {
    super('failed', `the store redirected with status ${status}`, { status });
    this.location = location;
  }
}

export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status);
}

/**
 * Makes a request, and again at each address where the `StoreRedirect` leads that it rejects with. Rejects with a
 * `StorageError` when the way has no end, or leads where no request may go.
 */
export async function followRedirects<T>(start: URL, request: (address: URL) => Promise<T>): Promise<T> {
  const passed = [start];
  for (let address = start; ; passed.push(address)) {
    try {
      return await request(address);
    } catch (error) {
      if (!(error instanceof StoreRedirect)) throw error;
      address = nextAddress(passed, address, error);
    }
  }
}

/** Its errors name hosts only: the rest of an address may be its signature. */
function nextAddress(passed: readonly URL[], from: URL, { status, location }: StoreRedirect): URL {
  const refusal = (where: string, ...last: readonly URL[]): StorageError => {
    const hosts = new Set([...passed, ...last].map(({ host }) => host));
    return new StorageError('failed', `the store redirects ${where}: ${[...hosts].join(', ')}`, { status });
  };
  if (location === undefined) throw refusal('to no address');
  if (!URL.canParse(location, from.href)) throw refusal('to an address that cannot be used');
  const to = new URL(location, from);
  if (!/^https?:$/.test(to.protocol)) throw refusal('to an address that cannot be used');
  if (from.protocol === 'https:' && to.protocol === 'http:') throw refusal('from https to http', to);
  if (passed.some(({ href }) => href === to.href)) throw refusal('in a circle', to);
  if (passed.length > MOST_HOPS) throw refusal(`more than ${MOST_HOPS} times`, to);
  return to;
}
