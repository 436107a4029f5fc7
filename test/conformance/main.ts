/**
 * Runs the platform's public Python client against the service as users start it. Usage: scripts/conformance, which sees
 * to it that there is a client.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { dirSync } from 'tmp';
import { PostgresServer } from '../support/postgres-server.ts';
import { startWorld } from './start-world.ts';

const RUN = fileURLToPath(new URL('run.py', import.meta.url));

const { values } = parseArgs({ options: { postgres: { type: 'boolean', default: false } } });
const temporary = dirSync({ prefix: 'svcfs-conformance', unsafeCleanup: true });
const postgres = values.postgres ? await PostgresServer.start() : undefined;
try {
  // The client speaks the platform's words (sbg). The API document's (svc) are put in where its requests leave.
  for (const dialect of ['sbg', 'svc']) {
    process.stdout.write(`\n# in the words of ${dialect}\n`);
    if (!(await passes(dialect))) process.exitCode = 1;
  }
} finally {
  await postgres?.stop();
  temporary.removeCallback();
}

async function passes(dialect: string): Promise<boolean> {
  await postgres?.databases.query('postgres', `create database ${dialect}`);
  const directory = join(temporary.name, dialect);
  await mkdir(directory);
  const world = await startWorld(directory, postgres?.databases.url(dialect));
  let code: number | null = null;
  let failures: readonly string[] = [];
  try {
    const client = spawn('python3', ['-B', RUN], { stdio: ['pipe', 'inherit', 'inherit'] });
    client.stdin.end(JSON.stringify({ ...world.facts, dialect }));
    [code] = await once(client, 'close');
  } finally {
    failures = await world.end();
  }
  if (failures.length > 0) process.stderr.write(`the service failed:\n${failures.join('\n')}\n`);
  return code === 0 && failures.length === 0;
}
