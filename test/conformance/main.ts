/**
 * Runs the platform's public Python client against the service as users start it. Usage: scripts/conformance, which sees
 * to it that there is a client.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
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
  await postgres?.databases.query('postgres', 'create database conformance');
  const world = await startWorld(temporary.name, postgres?.databases.url('conformance'));
  try {
    const client = spawn('python3', ['-B', RUN], { stdio: ['pipe', 'inherit', 'inherit'] });
    client.stdin.end(JSON.stringify(world.facts));
    const [code] = await once(client, 'close');
    process.exitCode = code ?? 1;
  } finally {
    const failures = await world.end();
    if (failures.length > 0) {
      process.stderr.write(`the service failed:\n${failures.join('\n')}\n`);
      process.exitCode = 1;
    }
  }
} finally {
  await postgres?.stop();
  temporary.removeCallback();
}
