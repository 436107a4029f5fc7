/**
 * `npm run openapi`: writes src/service/openapi.json anew, from the service itself. To be run, and its change looked at and
 * committed, when the contract has changed.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../src/observe/logger.ts';
import { startService } from '../src/service/start-service.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'svcfs-openapi-'));
const service = await startService({
  dataDir,
  host: '127.0.0.1',
  port: 0,
  rateLimit: 'off',
  workers: false,
  logger: createLogger({ fd: 2, level: 'error' }),
});
const document = await (await fetch(`${service.url}/openapi.json`)).json();
await service.close();
await rm(dataDir, { recursive: true });
const file = new URL('../src/service/openapi.json', import.meta.url);
await writeFile(file, `${JSON.stringify(document, null, 1)}\n`);
