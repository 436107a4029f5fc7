/** Joins the blobs of parts in the store at argv[2], over and over, until it is killed. */
import { randomBytes } from 'node:crypto';
import { systemClock } from '../../src/lib/clock.ts';
import { DirectoryBlobStore } from '../../src/service/storage/blobs/directory-blob-store.ts';
import { UrlSigner } from '../../src/service/storage/blobs/url-signer.ts';

const store = new DirectoryBlobStore({
  root: process.argv[2] ?? '',
  signer: new UrlSigner(randomBytes(32), systemClock),
  partUrlSeconds: 60,
  downloadUrlSeconds: 60,
});
const { signal } = new AbortController();
process.stdout.write('ready\n');
for (;;) {
  for await (const parted of store.parted(0)) {
    process.stdout.write(`begun ${parted.name}\n`);
    await parted.join(signal);
    process.stdout.write(`joined ${parted.name}\n`);
  }
  await new Promise((resolve) => setTimeout(resolve, 5));
}
