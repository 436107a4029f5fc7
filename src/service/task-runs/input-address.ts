import type { HasSigner } from '../storage/blobs/url-signer.ts';

/** Path of the service that leads an engine elsewhere to the content of a file. */
export const INPUT_PATH = '/storage/inputs';

/** A run may wait long before it fetches its inputs. */
const LIFETIME_SECONDS = 7 * 24 * 60 * 60;

/** Where the content of a file can be read without a token by what runs a task; it leads on to where the bytes are. */
export function inputAddress({ signer }: HasSigner, fileId: string): string {
  return signer.sign('GET', `${INPUT_PATH}/${fileId}`, LIFETIME_SECONDS).url;
}
