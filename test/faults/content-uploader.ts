/** A writer that is there to be killed: `content-uploader.ts ENDPOINT TOKEN DIRECTORY FOLDER SIZE publish|write`. */
import { sampleBytes } from '../support/sample-bytes.ts';
import { contentClient, forever, writeAll } from './content-client.ts';

const [endpoint = '', token = '', directory = '', parent = '', size = '', until = ''] = process.argv.slice(2);
const { writer } = contentClient({ endpoint, token, directory });
const target = { parent, name: 'big.bam', overwrite: true };
const draft = await writer.draft({ target, base: undefined, label: 'trial/big.bam' });
await writeAll(draft, sampleBytes(Number(size)));
if (until === 'publish') draft.publish(forever).catch(() => {});
await draft.sync(forever);
process.stdout.write('durable\n');
setInterval(() => {}, 1000);
