import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { BucketError } from '../objects/bucket-error.ts';
import { refusedEndpoint } from './endpoint-policy.ts';
import { noStore } from './s3-failure.ts';

/** Refuses what needs no resolving: a connection to an address looks nothing up. */
export function guardedHost(allowed: readonly string[]): (host: string) => BucketError | undefined {
  return (host) => {
    const refusal = isIP(host) === 0 ? undefined : refusedEndpoint(host, [], allowed);
    return refusal === undefined ? undefined : new BucketError('bad-endpoint', `the endpoint ${refusal}`);
  };
}

/**
 * Resolves names for connections, and refuses those that lead where the endpoint policy forbids. The connection is made
 * to the very addresses that were judged, so a name that changes between two look-ups gains nothing.
 */
export function guardedLookup(
  allowed: readonly string[],
  resolve: (
    hostname: string,
    options: LookupAllOptions,
    callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
  ) => void = lookup,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) return callback(error, []);
      const resolved = addresses.map(({ address }) => address);
      const refusal = refusedEndpoint(hostname, resolved, allowed);
      if (refusal !== undefined) {
        // A caller must not learn where a name leads inside: the failure looks like that of a name that leads nowhere.
        return callback(noStore(new BucketError('bad-endpoint', `the endpoint ${refusal}`)), []);
      }
      return options.all === true ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
}
