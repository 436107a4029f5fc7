import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** One transfer: the arguments of a `curl` process. */
export type Transfer = readonly string[];

/** A file in so many ranges of equal size. */
export function ranges(url: string, sizeBytes: number, count: number): readonly Transfer[] {
  const each = Math.ceil(sizeBytes / count);
  return Array.from({ length: count }, (_, index) => {
    const last = Math.min((index + 1) * each, sizeBytes) - 1;
    return ['--range', `${index * each}-${last}`, '--output', '/dev/null', url];
  });
}

/** Runs all of them at once, a process each, and answers the seconds until the last has ended. */
export async function curl(
  { certificate }: { readonly certificate?: string },
  transfers: readonly Transfer[],
): Promise<number> {
  const trust = certificate === undefined ? [] : ['--cacert', certificate];
  const start = performance.now();
  const running = transfers.map((transfer) =>
    spawn('curl', ['--silent', '--show-error', '--fail', ...trust, ...transfer], {
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
  await Promise.all(running.map(succeeds));
  return (performance.now() - start) / 1000;
}

async function succeeds(child: ChildProcess): Promise<void> {
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`curl: exit ${code}`);
}
