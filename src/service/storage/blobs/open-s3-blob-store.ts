import type { S3Client } from '@aws-sdk/client-s3';
import type { Clock } from '../../../lib/clock.ts';
import { S3Clients } from '../s3/s3-clients.ts';
import { parseS3Endpoint, type S3Endpoint, storeIdentity } from '../s3/s3-endpoint.ts';
import { S3BlobStore } from './s3-blob-store.ts';
import type { S3BlobsPlace } from './s3-blobs-place.ts';

/** The operator's own store: under the credentials of this process, and no endpoint is refused. */
export function openS3BlobStore(
  place: S3BlobsPlace,
  options: { readonly partUrlSeconds: number; readonly downloadUrlSeconds: number; readonly clock: Clock },
): S3BlobStore {
  const { bucket, prefix } = place;
  const clients = new S3Clients();
  const own = endpointOf(place.endpoint);
  const forClients = endpointOf(place.publicEndpoint ?? place.endpoint);
  const clientFor = ({ url, region, pathStyle }: S3Endpoint): S3Client =>
    clients.get({
      endpoint: url,
      region: place.region ?? region ?? (url === undefined ? undefined : REGION_OF_OTHERS),
      pathStyle: place.pathStyle ?? pathStyle,
      keys: undefined,
    });
  const stores = [storeIdentity(own), storeIdentity(forClients)];
  return new S3BlobStore({
    ...options,
    place: { client: clientFor(own), bucket, stores },
    signer: clientFor(forClients),
    prefix,
  });
}

/** The usual name of the only region of a store other than AWS. */
const REGION_OF_OTHERS = 'us-east-1';

function endpointOf(url: string | undefined): S3Endpoint {
  return url === undefined ? { url, region: undefined, pathStyle: false } : parseS3Endpoint(url);
}
