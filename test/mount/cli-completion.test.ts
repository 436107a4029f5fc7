/** Shells on a terminal complete what a person begins to type. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DemoServiceProcess, startDemoService } from '../support/demo-service.ts';
import { run } from '../support/run.ts';
import { Sandbox } from '../support/sandbox.ts';
import { Terminal } from '../support/terminal.ts';
import { waitUntil } from '../support/wait-until.ts';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

let service: DemoServiceProcess;
let sandbox: Sandbox;
let env: Readonly<Record<string, string | undefined>>;
beforeAll(async () => {
  service = await startDemoService();
  sandbox = await Sandbox.create();
  const bin = join(sandbox.root, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'svcfs'), `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@"\n`);
  await chmod(join(bin, 'svcfs'), 0o755);
  await mkdir(join(sandbox.home, '.svcfs'));
  const profiles = '[laboratory]\napi_endpoint = http://x/v2\nauth_token = t\n';
  await writeFile(join(sandbox.home, '.svcfs', 'credentials'), profiles, { mode: 0o600 });
  env = { ...sandbox.env, PATH: `${bin}:${process.env['PATH']}`, TERM: 'dumb', NODE_OPTIONS: undefined };
  const mounted = await sandbox.svcfs(['mount', sandbox.mountPoint], { env: service.credentials });
  expect(mounted.code).toBe(0);
});
afterAll(async () => {
  await sandbox?.clean();
  await service?.end();
});

/** What is typed before TAB, and the end of the line after it. */
const CASES = (): readonly (readonly [string, string])[] => [
  ['svcfs unm', 'ount '],
  ['svcfs admin tok', 'ens '],
  ['svcfs mount --write-b', 'ack '],
  ['svcfs mount --owner k', 'ept'],
  ['svcfs mount --profile lab', 'oratory'],
  ['svcfs mount --staging-project demo/tri', 'o-exomes'],
  [`svcfs unmount ${sandbox.root}/m`, 'nt'],
  ['svcfs completion zs', 'h'],
];

const SHELLS = {
  bash: 'bash --norc --noprofile -i',
  zsh: 'zsh -f -i',
} as const;

const SET_UP = {
  bash: 'PS1=%%; source <(svcfs completion bash); echo REA""DY\r',
  zsh: 'PS1=%%; unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u -D; source <(svcfs completion zsh); echo REA""DY\r',
} as const;

describe.each(['bash', 'zsh'] as const)('%s', (shell) => {
  let terminal: Terminal;
  beforeAll(async () => {
    terminal = new Terminal(SHELLS[shell], env, 200);
    terminal.type(SET_UP[shell]);
    await terminal.shows(/^READY/m);
  });
  afterAll(() => terminal?.end());

  it('completes commands, options, their values, and names that the mount knows', async () => {
    for (const [typed, completed] of CASES()) {
      const last = typed.split(' ').at(-1);
      const whole = new RegExp(`${last}${completed}`);
      // Names that a busy machine does not tell in time are there at the next TAB, as for a person.
      await waitUntil(
        async () => {
          // Ctrl-U takes the line away.
          terminal.type(`${typed}\t\x15echo NE""XT\r`);
          return whole.test(await terminal.shows(/^NEXT/m));
        },
        { what: `${whole}`, timeoutMs: 30_000 },
      );
    }
  });
});

it('fish completes the same', async () => {
  for (const [typed, completed] of CASES()) {
    const script = `svcfs completion fish | source; complete -C '${typed}'`;
    const word = `${typed.split(' ').at(-1)}${completed.trim()}`;
    await waitUntil(
      async () => {
        const { stdout, stderr } = await run('fish', ['--no-config', '-c', script], { env });
        expect(stderr).toBe('');
        return stdout.split('\n').some((line) => line.split('\t')[0] === word);
      },
      { what: word, timeoutMs: 30_000 },
    );
  }
});

it('does not wait for a mount that does not answer', async () => {
  // The kernel knows no name of a mount that nobody has looked into: each lookup needs its process.
  const stopped = await Sandbox.create();
  try {
    const mounted = await stopped.svcfs(['mount', stopped.mountPoint], { env: service.credentials });
    expect(mounted.code).toBe(0);
    const processes = await stopped.processes();
    const signal = (name: NodeJS.Signals): void => {
      for (const { pid } of processes) process.kill(pid, name);
    };
    signal('SIGSTOP');
    try {
      const asked = await run('svcfs', ['complete', 'projects'], { env, timeoutMs: 20_000 });
      expect(asked).toMatchObject({ code: 0, signal: null });
    } finally {
      signal('SIGCONT');
    }
  } finally {
    await stopped.clean();
  }
});
