/** Renames in the mount against renames on this machine's disk, and what only the mount has. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { shell } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';

const PROJECT = 'projects/demo/rna-seq-study';

let served: ServedMount;
let directories = 0;
beforeAll(async () => {
  served = await ServedMount.start();
});
afterAll(() => served?.clean());

async function same(script: string): Promise<void> {
  const name = `rename-${++directories}`;
  const local = join(served.sandbox.root, name);
  const remote = served.path(PROJECT, name);
  await mkdir(local);
  await mkdir(remote);
  expect(await shell(script, { cwd: remote })).toBe(await shell(script, { cwd: local }));
}

describe('mv sees no difference', () => {
  it.each([
    ['to another name', 'echo 1 > a; mv a b; ls; cat b'],
    ['to another folder', 'echo 1 > a; mkdir d; mv a d; ls d; cat d/a'],
    ['to another folder and name', 'echo 1 > a; mkdir d; mv a d/b; ls d'],
    ['over a file', 'echo 1 > a; echo 2 > b; mv a b; ls; cat b'],
    ['not over a file when told so', 'echo 1 > a; echo 2 > b; mv -n a b || true; cat a b'],
    [
      'of a folder',
      'mkdir -p a/b/c; echo 1 > a/b/c/f; mv a z; find . | sort; cat z/b/c/f; echo 2 > z/b/c/g; ls z/b/c',
    ],
    ['of a folder into another', 'mkdir -p a/b z; echo 1 > a/b/f; mv a z; find . | sort; cat z/a/b/f'],
    ['of a folder over an empty one', 'mkdir a b; touch a/f; mv -T a b; find . | sort'],
    [
      'of a folder over a full one is refused',
      'mkdir a b; touch a/f b/g; mv -T a b 2>/dev/null || echo refused; find . | sort',
    ],
    [
      'of a folder below itself is refused',
      'mkdir -p a/b; mv a a/b 2>/dev/null || echo refused; find . | sort',
    ],
    ['of an open file', 'exec 3>a; echo 1 >&3; mv a b; echo 2 >&3; exec 3>&-; ls; cat b'],
    [
      'of an open file over another',
      'echo old > b; exec 3>a; echo 1 >&3; mv a b; cat b; echo 2 >&3; exec 3>&-; ls; cat b',
    ],
    [
      'over a file that is being read',
      'echo old > b; exec 4<b; echo new > a; mv a b; cat <&4; cat b; exec 4<&-; ls',
    ],
    [
      'of a folder with an open file in it',
      'mkdir d; exec 3>d/f; echo 1 >&3; mv d e; echo 2 >&3; exec 3>&-; cat e/f',
    ],
    ['back and forth', 'echo 1 > a; for i in $(seq 10); do mv a b; mv b a; done; ls; cat a'],
    [
      'of many at once',
      'for i in $(seq 20); do echo $i > $i.tmp; mv $i.tmp $i & done; wait; ls; cat $(seq 20)',
    ],
    ['of a folder someone stands in', 'mkdir a; cd a; mv ../a ../b; echo 1 > f; cat ../b/f'],
  ])('%s', async (_behaviour, script) => {
    await same(script);
  });
});

it('git works in the mount', async () => {
  await same(`git init -q .; git config user.email a@b.c; git config user.name n
    for i in 1 2 3; do echo $i > f$i; git add .; git commit -qm c$i; done
    git mv f1 g1; git commit -qm moved; git checkout -q HEAD~2; ls; git checkout -q -; ls; git status --short; git fsck`);
});

it('one rename inside a folder is one request', async () => {
  const cwd = served.path(PROJECT, 'counted');
  await mkdir(cwd);
  await shell('echo 1 > a; ls', { cwd });
  const { apiRequests } = await served.counting(() => shell('mv a b', { cwd }));
  expect(apiRequests).toBe(1);
});

it('a replaced file keeps its id nowhere, its metadata always', async () => {
  const cwd = served.path(PROJECT, 'replaced');
  await mkdir(cwd);
  await shell('echo old > f; setfattr -n user.sample -v s1 f; echo new > g; mv g f', { cwd });
  expect(await shell('cat f; getfattr --only-values -n user.sample f', { cwd })).toBe('new\ns1');
});

it('a name that stands for none of the platform is refused', async () => {
  await shell('! mkdir svc~x 2> said; grep -q "not permitted" said; rm said', { cwd: served.path(PROJECT) });
});

it('a project keeps its name', async () => {
  await shell('! mv rna-seq-study x 2> /dev/null; ls rna-seq-study', { cwd: served.path('projects/demo') });
});
