import { lookup } from 'node:dns/promises';
import { BucketError } from '../objects/bucket-error.ts';
import { refusedEndpoint } from './endpoint-policy.ts';
import { noStore } from './s3-failure.ts';

/** Where the API of a store is, and how buckets are addressed there. */
export interface S3Endpoint {
  /** Undefined: AWS's own of the region. */
  readonly url: string | undefined;
  /** As far as the host tells it. */
  readonly region: string | undefined;
  /** The bucket stands in the path, not in the host's name. */
  readonly pathStyle: boolean;
}

const AWS_HOST = /^s3(?:[.-](?:dualstack\.)?(?<region>[a-z]{2}(?:-[a-z]+)+-\d))?\.amazonaws\.com(?:\.cn)?$/;

/** AWS names a bucket in the host; most other stores have one certificate for one host, and the bucket in the path. */
export function parseS3Endpoint(url: string): S3Endpoint {
  const { hostname } = new URL(url);
  const aws = AWS_HOST.exec(hostname);
  if (aws === null) return { url, region: undefined, pathStyle: true };
  return { url: undefined, region: aws.groups?.['region'], pathStyle: false };
}

/** The identity of the store at an endpoint, the same for all endpoints of one store: AWS is one, in any region. */
export function storeIdentity({ url }: Pick<S3Endpoint, 'url'>): string {
  return url === undefined ? 'aws' : new URL(url).origin;
}

/** Whether an endpoint is a store that the operator named: the policy is for what users name. */
export function isOperators(
  url: string,
  own: { readonly defaultEndpoint?: string | undefined; readonly stsEndpoint?: string | undefined },
): boolean {
  const store = storeIdentity(parseS3Endpoint(url));
  return [own.defaultEndpoint, own.stsEndpoint].some(
    (given) => given !== undefined && storeIdentity(parseS3Endpoint(given)) === store,
  );
}

/** The policy as far as the endpoint itself shows. @throws BucketError `bad-endpoint` */
export function checkEndpoint(url: string, allowed: readonly string[]): void {
  const refusal = refusedEndpoint(new URL(url).hostname, [], allowed);
  if (refusal !== undefined) throw new BucketError('bad-endpoint', `the endpoint ${refusal}`);
}

/**
 * The policy with all addresses that a name leads to now. A name that leads nowhere now is not refused: each connection
 * looks again. A name that leads inside is refused like a name at which no store answers. Others must not learn which
 * names there are.
 *
 * @throws BucketError `bad-endpoint`, or `unreachable` by the addresses of the name
 */
export async function checkResolved(url: string, allowed: readonly string[]): Promise<void> {
  const { hostname } = new URL(url);
  const resolved = await lookup(hostname, { all: true }).catch(() => []);
  const refusal = refusedEndpoint(
    hostname,
    resolved.map(({ address }) => address),
    allowed,
  );
  if (refusal === undefined) return;
  const error = new BucketError('bad-endpoint', `the endpoint ${refusal}`);
  throw refusedEndpoint(hostname, [], allowed) === undefined ? noStore(error) : error;
}
