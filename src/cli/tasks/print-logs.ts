import { once } from 'node:events';
import { createStorageClient } from '../../api/create-storage-client.ts';
import type { FileRecord } from '../../api/model.ts';
import { Network } from '../../api/network/network.ts';
import { resolveNetwork } from '../../config/network.ts';
import { systemClock } from '../../lib/clock.ts';
import { printable } from '../../lib/printable.ts';
import { CliError } from '../exit-codes.ts';
import type { Context } from '../platform/find-places.ts';
import type { Platform } from '../platform/platform.ts';

const CHUNK_BYTES = 4 * 1024 * 1024;

/** Prints the logs of a task's tools, each below its name where there are several. */
export async function printLogs(id: string, platform: Platform, context: Context): Promise<void> {
  const tools = await platform.api.tasks.executedTools(id);
  const logs = tools.flatMap(({ name, logs: files }) =>
    Object.entries(files).map(([log, file]) => ({ name: `${name}/${log}`, file })),
  );
  if (logs.length === 0) throw new CliError('failure', `${id}: it has no log yet`);
  for (const { name, file: fileId } of logs) {
    const file = await platform.api.files.get(fileId);
    if (logs.length > 1) console.log(`==> ${printable(name)} <==`);
    if (file.kind === 'file') await printFile(file, platform, context);
  }
}

/** Bytes as they are. */
async function printFile({ id, sizeBytes }: FileRecord, { api }: Platform, context: Context): Promise<void> {
  if (sizeBytes === 0) return;
  const { url } = await api.files.downloadInfo(id);
  const settings = await resolveNetwork({ ...context.options, environment: process.env }, url);
  const storage = createStorageClient({ clock: systemClock, network: new Network(settings) });
  try {
    for (let offset = 0; offset < sizeBytes; offset += CHUNK_BYTES) {
      const into = Buffer.alloc(Math.min(CHUNK_BYTES, sizeBytes - offset));
      await storage.getRange(url, { offset, into }, context.signal);
      if (!process.stdout.write(into)) await once(process.stdout, 'drain', { signal: context.signal });
    }
  } finally {
    await storage.close();
  }
}
