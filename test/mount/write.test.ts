/** Programs do the same to files in the mount and on this machine's disk: they must not see a difference. */
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Beyond, isBeyondDriver, testBeyond } from '../support/driver.ts';
import { shell } from '../support/run.ts';
import { ServedMount } from '../support/served-mount.ts';
import { waitUntil } from '../support/wait-until.ts';

const PROJECT = 'projects/demo/rna-seq-study';

let served: ServedMount;
let directories = 0;
beforeAll(async () => {
  served = await ServedMount.start();
});
afterAll(() => served?.clean());

/** Runs a script in a new directory on both sides; both must print the same. */
async function same(script: string): Promise<string> {
  const name = `write-${++directories}`;
  const local = join(served.sandbox.root, name);
  const remote = served.path(PROJECT, name);
  await mkdir(local);
  await mkdir(remote);
  const printed = await shell(script, { cwd: remote });
  expect(printed).toBe(await shell(script, { cwd: local }));
  return printed;
}

type Program = readonly [behaviour: string, script: string, ...beyond: Beyond[]];

const SCRIPTS: readonly Program[] = [
  ['a shell redirection writes a file', 'echo hello > a; cat a; stat -c %s a'],
  ['a shell redirection empties a file first', 'echo long text > a; echo x > a; cat a'],
  ['appending goes on after the end', 'echo one > a; echo two >> a; echo three >> a; cat a'],
  ['several programs write one redirection', '{ echo a; /bin/echo b; (echo c); } > f; cat f'],
  [
    'a descriptor held by the shell takes writes of its children',
    'exec 3>f; echo 1 >&3; (echo 2 >&3); exec 3>&-; cat f',
  ],
  ['a pipeline writes its output', 'seq 1000 | sort -rn | head -3 > f; cat f'],
  ['an empty file is a file', 'touch e; : > f; stat -c "%n %s" e f; cat e f'],
  [
    'several writers append to one file',
    'for i in $(seq 10); do echo a >> f; done & for i in $(seq 10); do echo b >> f; done; wait; wc -l < f',
  ],
  [
    'cp copies in, over and within',
    'seq 100 > a; cp a b; cp a c; echo x > c; cp c a; cat a; cmp b a || md5sum b',
  ],
  [
    'cp -r copies a tree',
    'mkdir -p t/u/v; echo 1 > t/1; echo 2 > t/u/v/2; cp -r t s; find s -type f | sort | xargs cat',
  ],
  [
    'dd writes anywhere in a file',
    'printf aaaaaaaaaa > f; printf XX | dd of=f bs=1 seek=4 conv=notrunc status=none; cat f',
  ],
  ['dd writes past the end', 'printf end | dd of=f bs=1 seek=100000 status=none; stat -c %s f; md5sum f'],
  [
    'truncate shortens, lengthens and creates',
    'seq 100 > f; truncate -s 10 f; cat f; truncate -s 20 f; od -c f; truncate -s 5 g; od -c g',
  ],
  [
    'touch sets the time asked for',
    'touch -d "2001-02-03 04:05:06 UTC" f; date -ur f +%s; echo x > g; touch -r f g; date -ur g +%s',
  ],
  [
    'times are kept to the nanosecond, and atime as long as the mount lives',
    'echo x > f; mkdir d; for i in f d; do touch -d "2020-01-01 00:00:00.123456789 UTC" $i; touch -ad "2021-02-03 04:05:06.000000007 UTC" $i; stat -c "%.9X %.9Y" $i; done',
    'modification-time',
  ],
  [
    'chmod, touch and mv move the time of change',
    'for change in "chmod 600 f" "touch -d 2020-01-01 f" "mv f g"; do echo x > f; sleep 0.02; c=$(stat -c %.9Z f); sleep 0.02; $change; [ $(stat -c %.9Z ?) = $c ] || echo moved; rm ?; done',
  ],
  [
    'the time of a folder changes with what is in it, and not with what is written into that',
    'mkdir e; t() { stat -c %.9Y . e; }; for change in "touch f" "mkdir d" "mv f g" "mv g e/g" "mv e/g h" "touch -m h" "chmod 600 h" "rm h" "rmdir d"; do before=$(t); sleep 0.02; $change; [ "$(t)" = "$before" ] || echo "$change"; done',
  ],
  [
    'a new file has the mode that the umask leaves it, and mkstemp its own',
    "for mask in 077 027 022 002; do (umask $mask; echo s > f$mask; touch t$mask; stat -c %a f$mask t$mask); done; python3 -c \"import tempfile; tempfile.mkstemp(dir='.', prefix='m')\"; stat -c %a m*",
  ],
  [
    'chmod sets the mode',
    'echo x > f; chmod 750 f; stat -c %a f; cp -p f g; stat -c %a g; chmod u-w f; stat -c %a f',
  ],
  [
    'a script can be written, made executable and run',
    'printf "#!/bin/sh\\necho ran\\n" > s; chmod +x s; ./s',
  ],
  ['fallocate extends a file', 'echo x > f; fallocate -l 100 f; stat -c %s f; md5sum f', 'fallocate'],
  [
    'tar packs and unpacks',
    'mkdir -p t/u; seq 5 > t/a; seq 9 > t/u/b; chmod 640 t/a; touch -d "2010-01-01 UTC" t/u/b; tar cf t.tar t; mkdir x; tar xf t.tar -C x; cat x/t/a x/t/u/b; stat -c "%a %Y" x/t/a x/t/u/b | sed "1s/ .*//"',
    'modification-time',
  ],
  [
    'git keeps a repository',
    'git init -q r; cd r; git config user.name n; git config user.email n@example.org; seq 9 > a; git add a; git commit -qm one; echo x >> a; git commit -qam two; git gc -q; git clone -q . ../c; cd ../c; git log --format=%s; git fsck; cat a',
  ],
  [
    'symbolic links are made, followed, listed, renamed, replaced and removed',
    'mkdir d; echo text > f; ln -s f l; ln -s d/../f m; ln -s nowhere broken; cat l m; readlink l m broken; ' +
      'stat -c "%n %F %s %a" l broken; mv l d/l; readlink d/l; ln -sfn d m; readlink m; echo x > new; mv new broken; cat broken; ' +
      'find . -type l | sort; ls -F; rm m; ls d f; ln -s f f || echo taken',
  ],
  [
    'touch, chown and setfattr of a link itself do what they do on a disk',
    'ln -s nowhere l; touch -h -d "2001-02-03 UTC" l; stat -c %Y l; chown -h $(id -u):$(id -g) l; ' +
      'setfattr -h -n user.k -v v l 2>&1 || echo refused; getfattr -h -d l',
    'modification-time',
  ],
  [
    'cp -a, mv and tar keep links',
    'mkdir t; echo text > t/f; ln -s f t/l; ln -s ../up t/broken; cp -a t u; tar cf t.tar t; mkdir x; tar xf t.tar -C x; mv u v; ' +
      'readlink v/l v/broken x/t/l x/t/broken; cat v/l x/t/l',
  ],
  [
    'git keeps links, also in a clone',
    'git init -q r; cd r; git config user.name n; git config user.email n@example.org; echo a > a; ln -s a l; git add .; ' +
      'git commit -qm one; git clone -q . ../c; cd ../c; git status --short; readlink l; cat l',
  ],
  [
    'a virtual environment of Python works',
    'python3 -m venv --without-pip v; v/bin/python -c "import sys; print(sys.prefix != sys.base_prefix)"; readlink v/lib64',
  ],
  [
    'a tree of Python with folders that begin with __ is compiled, copied, unpacked, renamed and removed',
    'mkdir -p t/__tests__; echo "x = 1" > t/m.py; : > t/__init__.py; python3 -m compileall -q t; cp -r t u; mv u/__tests__ u/__spec; ' +
      'python3 -m zipfile -c z.zip t; unzip -q z.zip -d x; tar cf t.tar t; mkdir y; tar xf t.tar -C y; find . | sort; ' +
      'python3 -c "import t.m; print(t.m.x)"; rm -r t u; ls',
  ],
  [
    'a named pipe carries bytes between two programs, is listed, renamed and removed',
    'mkfifo -m 640 p; stat -c "%F %a %s" p; { echo through > p & }; cat p; wait; mv p q; ls -F; mkdir d; mv q d; rmdir d 2>&1 || true; ' +
      'mv d e; find . -type p; mkfifo e/q 2>&1 || true; { cat e/q & }; echo again > e/q; wait; rm e/q; rmdir e; ls -A',
  ],
  ['rm -r removes a tree', 'mkdir -p a/b/c; touch a/1 a/b/2 a/b/c/3; rm -r a; ls -A'],
];

const PYTHON: readonly Program[] = [
  [
    'an update in place',
    "open('f','w').write('abcdef'); f = open('f','r+'); f.seek(2); f.write('XY'); f.close(); print(open('f').read())",
  ],
  [
    'reads of what was just written, by another handle',
    "w = open('f','w'); r = open('f'); w.write('seen'); w.flush(); print(r.read()); w.close()",
  ],
  [
    'a file unlinked while open',
    "f = open('f','w+'); f.write('gone'); f.flush(); os.unlink('f'); f.seek(0); print(f.read(), os.fstat(f.fileno()).st_nlink, os.path.exists('f')); f.close(); print(os.listdir('.'))",
    'unlinked-while-open',
  ],
  [
    'a published file unlinked while open',
    "open('f','w').write('text'); f = open('f'); os.unlink('f'); print(f.read(), os.fstat(f.fileno()).st_nlink, os.listdir('.')); f.close(); print(os.listdir('.'))",
    'unlinked-while-open',
  ],
  [
    'a published file unlinked before it is written to, also through a mapping',
    "open('f','w').write('a' * 9); f = open('f','r+b'); m = mmap.mmap(f.fileno(), 0); os.unlink('f'); m[:3] = b'MAP'; f.seek(3); f.write(b'end'); f.truncate(7); f.seek(0); print(f.read()); m.flush(); f.close(); print(os.listdir('.'))",
    'unlinked-while-open',
  ],
  [
    'a name taken again while the old file is open',
    "open('f','w').write('old'); f = open('f'); os.unlink('f'); open('f','w').write('new'); print(f.read(), open('f').read())",
    'unlinked-while-open',
  ],
  [
    'writing through a mapping',
    "open('f','wb').write(b'.' * 10000); f = open('f','r+b'); m = mmap.mmap(f.fileno(), 0); m[5000:5004] = b'MMAP'; m.flush(); m.close(); f.close(); d = open('f','rb').read(); print(len(d), d[4998:5006])",
  ],
  [
    'shrinking and growing through a handle',
    "f = open('f','w+b'); f.write(b'x' * 100); f.flush(); f.truncate(10); f.truncate(20); f.seek(0); print(f.read()); f.close(); print(os.stat('f').st_size)",
  ],
  ['exclusive creation', "open('f','x').close()\ntry: open('f','x')\nexcept FileExistsError: print('there')"],
  [
    'a lock file between two processes',
    "import fcntl; f = open('l','w'); fcntl.flock(f, fcntl.LOCK_EX); f.write('1'); f.close(); print(open('l').read())",
  ],
  [
    'a database',
    "import sqlite3; c = sqlite3.connect('db'); c.execute('create table t(x)'); c.executemany('insert into t values(?)', [(i,) for i in range(500)]); c.commit(); c.close(); print(sqlite3.connect('db').execute('select sum(x) from t').fetchall())",
  ],
  [
    'a process that ends without closing',
    "import subprocess, time\nsubprocess.run(['python3','-c','import os; os.write(os.open(\"f\", os.O_WRONLY|os.O_CREAT), b\"left\"); os._exit(0)'])\nprint(open('f').read())",
  ],
  [
    'links by their type in the directory, and the longest target there can be',
    "os.mkdir('d'); os.symlink('x' * 4095, 'long'); os.symlink('d', 'short'); print(sorted((e.name, e.is_symlink(), e.is_dir()) for e in os.scandir() if e.name != 'long')); print(len(os.readlink('long')), os.lstat('long').st_size)",
  ],
  [
    'a socket between two processes',
    'import socket, subprocess, stat; s = socket.socket(socket.AF_UNIX); s.bind("s"); s.listen(); print(stat.S_ISSOCK(os.stat("s").st_mode), [e.is_file() for e in os.scandir()])\n' +
      'p = subprocess.Popen(["python3", "-c", "import socket; c = socket.socket(socket.AF_UNIX); c.connect(\'s\'); c.sendall(b\'through\')"]); c, _ = s.accept(); print(c.recv(9)); p.wait()\n' +
      'os.rename("s", "t"); os.unlink("t"); print(os.listdir("."))',
  ],
  [
    'a file that exec(2) closes',
    "f = open('f','w'); f.write('kept'); f.flush(); os.execvp('cat', ['cat','f'])",
  ],
];

const runnable = (programs: readonly Program[]) =>
  programs.filter(([, , ...beyond]) => !isBeyondDriver(...beyond));

describe('a shell sees no difference', () => {
  it.each(runnable(SCRIPTS))('%s', async (_behaviour, script) => {
    await same(script);
  });
});

describe('Python sees no difference', () => {
  it.each(runnable(PYTHON))('%s', async (_behaviour, program) => {
    await same(`python3 - <<'PROGRAM'\nimport os, mmap\n${program}\nPROGRAM`);
  });
});

it('a file is the same for a mount that has never seen it', async () => {
  const directory = served.path(PROJECT, 'remount');
  await mkdir(directory);
  const exact = isBeyondDriver('modification-time') ? '%Y' : '%.9Y';
  const state = `md5sum a b; stat -c "%n %s %a ${exact}" a b; stat -c "%n %a ${exact}" d`;
  const nanosecond = '2020-01-01 00:00:00.123456789 UTC';
  await shell(
    `seq 1000 > a; cp a b; mkdir d; chmod 755 b; touch -d "2015-05-05 UTC" a b; echo x >> b; touch -d "${nanosecond}" b d`,
    {
      cwd: directory,
    },
  );
  const before = await shell(state, { cwd: directory });
  await served.unmount();
  await served.mount();
  expect(await shell(state, { cwd: directory })).toBe(before);
});

testBeyond('modification-time')(
  'rsync -a goes both ways and then finds nothing to do, also after a remount',
  async () => {
    const local = join(served.sandbox.root, 'rsync');
    const remote = served.path(PROJECT, 'rsync');
    await shell(
      'mkdir -p d/e d/__pycache__; echo x > d/__pycache__/x; seq 10 > a; seq 20 > d/b; seq 30 > d/e/c; chmod 755 d/b; ln -s ../a d/l; touch -hd "2012-12-12 UTC" a d/e d/l',
      {
        cwd: await made(local),
      },
    );
    const inward = `rsync -ai ${local}/ ${remote}/`;
    expect(await shell(inward)).not.toBe('');
    expect(await shell(inward)).toBe('');
    await served.unmount();
    await served.mount();
    expect(await shell(inward)).toBe('');
    await shell(`rsync -a ${remote}/ ${local}-back/; diff -r ${local} ${local}-back`);
    await shell(`echo more >> a; rsync -a --inplace ${local}/ ${remote}/; diff -r ${local} ${remote}`, {
      cwd: local,
    });
  },
);

testBeyond('modification-time')(
  'a second make does nothing, also after a remount, and one after an edit makes what depends on it',
  async () => {
    const cwd = await made(served.path(PROJECT, 'make'));
    const rules =
      'all: out/all\\nout/all: a.o b.o\\n\\tmkdir -p out; cat a.o b.o > $@\\n%%.o: %%.c\\n\\tcp $< $@\\n';
    await shell(`printf '${rules}' > Makefile; echo a > a.c; echo b > b.c; make`, { cwd });
    expect(await shell('cat out/all; make', { cwd })).toBe("a\nb\nmake: Nothing to be done for 'all'.\n");
    await served.unmount();
    await served.mount();
    expect(await shell('make', { cwd })).toBe("make: Nothing to be done for 'all'.\n");
    expect(await shell('echo c > a.c; make; make -q; cat out/all', { cwd })).toBe(
      'cp a.c a.o\nmkdir -p out; cat a.o b.o > out/all\nc\nb\n',
    );
  },
);

it('an in-place edit keeps metadata and tags', async () => {
  const directory = await made(served.path(PROJECT, 'edited'));
  await shell(
    'echo old > f; setfattr -n user.sample -v s1 f; setfattr -n user.svc.tags -v \'["raw"]\' f; sed -i s/old/new/ f; rsync -a /etc/services f; echo more >> f',
    { cwd: directory },
  );
  expect(await shell('getfattr --only-values -n user.sample f', { cwd: directory })).toBe('s1');
  expect(await shell('getfattr --only-values -n user.svc.tags f', { cwd: directory })).toBe('["raw"]');
});

it('a mode of creation stays where it has execute bits', async () => {
  const cwd = await made(served.path(PROJECT, 'created'));
  const make = `python3 - <<'PROGRAM'
import os
os.umask(0o077)
for name, mode in (('plain', 0o666), ('tool', 0o777)): os.close(os.open(name, os.O_CREAT | os.O_WRONLY, mode))
PROGRAM`;
  expect(await shell(`${make}\nstat -c '%n %a' *`, { cwd })).toBe('plain 600\ntool 700\n');
});

testBeyond('direct-io')('small records here and there are read past the page cache, too', async () => {
  const cwd = await made(served.path(PROJECT, 'records'));
  const program = `python3 - <<'PROGRAM'
import mmap, os
f = os.open('f', os.O_RDWR | os.O_CREAT)
for at in range(0, 800000, 100): os.pwrite(f, b'record', at)
into = mmap.mmap(-1, 1 << 20)
size = os.preadv(os.open('f', os.O_RDONLY | os.O_DIRECT), [into], 0)
print(size, into[:size].count(b'record' + bytes(94)))
PROGRAM`;
  expect(await shell(program, { cwd })).toBe('799906 7999\n');
});

async function made(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  return directory;
}

/** Writes g, makes the file that its argument names, and then closes g. */
const WRITE_AND_CLOSE = `open $g, ">", "g"; syswrite $g, "new\\n"; open $written, ">", $ARGV[0]; close $g`;

describe('while the service does not answer', () => {
  /** Interrupts both, and answers what is there once the service answers again. */
  async function interrupted(directory: string): Promise<string> {
    await shell('echo old > f; ls', { cwd: directory });
    const written = join(served.sandbox.root, `${basename(directory)}-written`);
    const processes = await served.sandbox.processes();
    const service = processes.find(({ command }) => command.includes(' serve '))!.pid;
    process.kill(service, 'SIGSTOP');
    try {
      const began = Date.now();
      await Promise.all([
        shell(`! timeout -s INT 1 perl -e '${WRITE_AND_CLOSE}' ${written}`, { cwd: directory }),
        // Not before: a rename that waits keeps its directory locked, and nothing is created in it.
        waitUntil(() => existsSync(written), { timeoutMs: 2000 })
          .catch(() => {})
          .then(() => shell('! timeout -s INT 1 mv f h', { cwd: directory })),
      ]);
      expect(Date.now() - began).toBeLessThan(4000);
    } finally {
      process.kill(service, 'SIGCONT');
    }
    const listed = (): Promise<string> => shell('ls', { cwd: directory });
    await waitUntil(async () => (await listed()) === 'g\nh\n', { timeoutMs: 5000 }).catch(() => {});
    return listed();
  }

  testBeyond('interrupts')('Ctrl-C ends a close and a rename at once, and both go on', async () => {
    // On a busy machine they may begin so late that they have to ask first what has the names: then they are not begun.
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const directory = await made(served.path(PROJECT, `interrupted-${attempt}`));
      if ((await interrupted(directory)) !== 'g\nh\n' && attempt < 3) continue;
      expect(await shell('cat g h', { cwd: directory })).toBe('new\nold\n');
      return;
    }
  });
});

describe.runIf(process.getuid?.() === 0)('root brings files of another user, with their modes', () => {
  it.each([
    ['rsync -a', 'rsync -a "$from/" to/'],
    ['cp -a', 'cp -a "$from/." to/'],
    ['tar x', 'tar c -C "$from" . | tar x -C to'],
  ])('%s', async (_, bring) => {
    const made = 'from=$(mktemp -d); mkdir to "$from/deep"; seq 9 | tee "$from/program" > "$from/deep/file"';
    const modes = 'chmod 750 "$from/deep"; chmod 640 "$from/deep/file"; chmod 755 "$from/program"';
    const shown = 'stat -c "%a %n" to/deep to/deep/file to/program; cat to/deep/file; rm -r "$from"';
    const printed = await same(`${made}; ${modes}; chown -R 1234:1234 "$from"; ${bring}; ${shown}`);
    expect(printed).toContain('640 to/deep/file\n755 to/program');
  });
});
