import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Ways to run a program in a network name space of its own, which has no way out (unshare(1)). */
const WAYS = [
  ['unshare', '--user', '--map-current-user', '--net', '--'],
  ['unshare', '--net', '--'],
] as const;

/** What to put before a command so that it has no network; undefined when this machine does not allow it. */
export async function networkIsolation(): Promise<readonly string[] | undefined> {
  for (const way of WAYS) if (await succeeds([...way, 'true'])) return way;
  return undefined;
}

async function succeeds([program = '', ...args]: readonly string[]): Promise<boolean> {
  const child = spawn(program, args, { stdio: 'ignore' });
  const [status] = await once(child, 'exit').catch(() => [undefined]);
  return status === 0;
}
