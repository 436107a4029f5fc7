import { spawn } from 'node:child_process';
import { once } from 'node:events';

export async function isCwltoolInstalled(): Promise<boolean> {
  const child = spawn('cwltool', ['--version'], { stdio: 'ignore' });
  const [status] = await once(child, 'exit').catch(() => [undefined]);
  return status === 0;
}
