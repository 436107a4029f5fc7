import { readFile } from 'node:fs/promises';
import { cpus, loadavg, release, totalmem, userInfo } from 'node:os';
import { run } from '../../support/run.ts';

/** The facts of the machine that the numbers depend on, by name. */
export async function describeMachine(): Promise<Readonly<Record<string, string>>> {
  const [first] = cpus();
  const distribution = /^PRETTY_NAME="(.*)"$/m.exec(await readFile('/etc/os-release', 'utf8'))?.[1];
  return {
    processor: `${cpus().length} × ${first?.model ?? 'unknown'}`,
    'load before': loadNow(),
    memory: `${(totalmem() / 1024 ** 3).toFixed(1)} GiB`,
    system: `${distribution ?? 'unknown'}, Linux ${release()}`,
    'congestion control': (await readFile('/proc/sys/net/ipv4/tcp_congestion_control', 'utf8')).trim(),
    user: userInfo().username,
    node: process.version,
    rclone: await firstLine('rclone', ['version']),
    s3fs: await firstLine('s3fs', ['--version']),
    nginx: await firstLine('nginx', ['-v']),
    curl: await firstLine('curl', ['--version']),
    commit: await commitAndChanges(),
  };
}

export function loadNow(): string {
  const [minute = 0, , quarter = 0] = loadavg();
  return `${minute.toFixed(1)} in the last minute, ${quarter.toFixed(1)} in the last 15`;
}

/** Of the work tree; the documents of the benchmark are what changes between a run and its commit. */
async function commitAndChanges(): Promise<string> {
  const commit = await firstLine('git', ['rev-parse', '--short', 'HEAD']);
  const { stdout } = await run('git', ['status', '--porcelain', '--', ':/', ':(top,exclude)test/bench/*.md']);
  const changed = stdout.split('\n').filter((line) => line !== '').length;
  return changed === 0 ? commit : `${commit}, and ${changed} files changed since`;
}

async function firstLine(command: string, args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run(command, args);
  return (stdout + stderr).split('\n')[0] ?? '';
}
