import { spawn } from 'node:child_process';
import { systemClock } from '../lib/clock.ts';

/** `silent`: it answers nothing, as one whose server is stopped. */
export type MountState = 'alive' | 'dead' | 'silent';

/** The errors of any access to a mount whose server has died or was aborted. */
const DEAD = new Set(['ENOTCONN', 'ECONNABORTED']);

/** A server that works answers at once. */
const PATIENCE_MS = 5000;

/** statfs(2), which the kernel passes to the server each time: attributes of a dead mount it may still have. */
const SCRIPT =
  "require('node:fs').statfs(process.argv[1], (error) => process.stdout.write(error ? error.code : 'alive'))";

/**
 * Whether the server of a mount answers. A process of its own asks: a thread that waits for a mount keeps its process from
 * ending.
 */
export async function stateOfMount(path: string, patienceMs = PATIENCE_MS): Promise<MountState> {
  const child = spawn(process.execPath, ['-e', SCRIPT, path], {
    cwd: '/',
    stdio: ['ignore', 'pipe', 'ignore'],
    // The variable is meant for the command, which may be profiled.
    env: { ...process.env, NODE_OPTIONS: undefined },
  });
  const said = new Promise<MountState>((resolve, reject) => {
    child.once('error', reject);
    child.stdout.once('data', (word) => resolve(DEAD.has(String(word).trim()) ? 'dead' : 'alive'));
    // It was killed, as by a kernel short of memory.
    child.once('close', () => resolve('silent'));
  });
  const waited = new AbortController();
  const silence = systemClock.sleep(patienceMs, waited.signal).then((): MountState => 'silent');
  try {
    return await Promise.race([said, silence]);
  } finally {
    waited.abort();
    silence.catch(() => undefined);
    // Nobody waits for its end: the kernel may keep it until the server answers.
    child.kill('SIGKILL');
    child.stdout.destroy();
    child.unref();
  }
}
