/** A file whose close(2) had returned when the mount was killed is a file like any other in the next mount. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { SeenRequest } from '../support/fault-proxy.ts';
import { FaultWorld } from '../support/fault-world.ts';
import { shell } from '../support/run.ts';
import { waitUntil } from '../support/wait-until.ts';

const PATIENCE = ['--retry-timeout', '2'];
const WRITE_BACK = ['--write-back', ...PATIENCE];

let world: FaultWorld;
beforeAll(async () => {
  world = await FaultWorld.start({ mountArgs: WRITE_BACK });
  return () => world.clean();
});
afterEach(() => world.proxy.heal());

const isUpload = ({ path }: SeenRequest): boolean => path.includes('/upload/');
const holdUploads = (): void => void world.proxy.inject({ kind: 'answer', status: 503 }, { when: isUpload });

const write = (name: string, text: string): Promise<string> =>
  shell(`printf %s '${text}' > ${world.own(name)}`);
const read = (name: string): Promise<string> => shell(`cat ${world.own(name)}`);
const flush = (): Promise<{ readonly code: number | null }> => world.sandbox.svcfs(['flush']);
const errors = (): Promise<string> => shell(`cat ${world.sandbox.path('.svcfs/errors')}`);

async function killAndMount(args: readonly string[] = WRITE_BACK): Promise<void> {
  await world.killMount();
  await world.mount(args);
}

/** After a kill: what is uploaded first takes longest. */
async function mountWithFirstUploadLate(args: readonly string[]): Promise<void> {
  await world.killMount();
  world.proxy.heal();
  world.proxy.inject({ kind: 'latency', ms: 1500 }, { when: isUpload, times: 1 });
  await world.mount(args);
}

describe('a file that a killed mount had not uploaded', () => {
  it('is read, renamed, removed and flushed in the next mount before it is uploaded', async () => {
    holdUploads();
    for (const name of ['early', 'early-from', 'early-gone']) await write(name, name);
    await killAndMount();
    expect(await read('early')).toBe('early');
    const { stdout } = await world.sandbox.svcfs(['status']);
    // The bytes have left this machine, and nobody has answered.
    expect(stdout).toMatch(/early: [05] B of 5 B, (publishing|failed)/);
    expect(await world.files()).not.toContain('early');
    world.proxy.heal();
    world.proxy.inject({ kind: 'latency', ms: 300 }, { when: isUpload });
    await shell(`mv ${world.own('early-from')} ${world.own('early-to')}`);
    await shell(`rm ${world.own('early-gone')}`);
    expect(await flush()).toMatchObject({ code: 0 });
    expect(await world.files()).toEqual(['early', 'early-to']);
    await waitUntil(async () => (await world.leftovers()).length === 0);
  });

  it('keeps what was set on it while it was written', async () => {
    const path = world.own('described');
    await shell(`printf old > ${path}; setfattr -n user.sample -v a ${path}; chmod 600 ${path}`);
    await flush();
    holdUploads();
    await shell(`exec 3> ${path}; printf new >&3; setfattr -n user.sample -v b ${path}; exec 3>&-`);
    await killAndMount();
    world.proxy.heal();
    await flush();
    await world.remount();
    expect(
      await shell(`cat ${path}; getfattr --only-values -n user.sample ${path}; stat -c ' %a' ${path}`),
    ).toBe('newb 600\n');
  });

  it('never replaces what is written under its name after that', async () => {
    holdUploads();
    await write('over', 'old');
    await mountWithFirstUploadLate(PATIENCE);
    await write('over', 'brand new content');
    expect(await read('over')).toBe('brand new content');
    await waitUntil(async () => (await world.leftovers()).length === 0);
    await world.remount();
    expect(await read('over')).toBe('brand new content');
  });

  it('is what was written last, however often the mount was killed', async () => {
    holdUploads();
    await write('twice', 'old');
    await killAndMount();
    await write('twice', 'brand new content');
    await mountWithFirstUploadLate(WRITE_BACK);
    await waitUntil(async () => (await world.leftovers()).length === 0);
    await world.remount();
    expect(await read('twice')).toBe('brand new content');
  });

  it('is tried again until the service takes it, and told of meanwhile', async () => {
    holdUploads();
    await write('again', 'at last');
    await killAndMount();
    await waitUntil(async () => (await errors()).includes('/again'), { timeoutMs: 30_000 });
    world.proxy.heal();
    await waitUntil(async () => (await world.files()).includes('again'), { timeoutMs: 30_000 });
  });

  it('is waited for by unmount, which names what the service does not take', async () => {
    holdUploads();
    await write('awaited', 'here');
    const { code, stderr } = await world.unmount();
    expect(code).toBe(16);
    expect(stderr).toContain(world.own('awaited').slice(world.sandbox.mountPoint.length));
    expect(stderr).toContain(`mount on ${world.sandbox.mountPoint} again`);
    world.proxy.heal();
    world.proxy.inject({ kind: 'latency', ms: 1500 }, { when: isUpload });
    await world.mount(WRITE_BACK);
    expect(await world.unmount()).toMatchObject({ code: 0 });
    expect(await world.files()).toContain('awaited');
    await world.mount(WRITE_BACK);
  });

  it('is told of by a mount elsewhere, until it is mounted where it was written', async () => {
    const { sandbox } = world;
    const elsewhere = world.outside('elsewhere');
    const link = world.outside('link');
    await shell(`mkdir ${elsewhere}; ln -s ${sandbox.mountPoint} ${link}`);
    sandbox.alsoMounts(elsewhere);
    const env = { SVC_API_ENDPOINT: `${world.proxy.origin}/v2`, SVC_AUTH_TOKEN: world.token };
    const mount = (path: string) => sandbox.svcfs(['mount', path, ...WRITE_BACK], { env });
    holdUploads();
    await write('left', 'behind');
    expect(await world.unmount()).toMatchObject({ code: 16 });
    const told =
      `svcfs: not uploaded yet: 1 file (6 B) written through ${sandbox.mountPoint}; ` +
      `to upload them mount ${env.SVC_API_ENDPOINT} (user ann) on ${sandbox.mountPoint} again\n`;
    expect(await mount(elsewhere)).toMatchObject({ code: 0, stderr: told });
    expect(await sandbox.svcfs(['status'])).toMatchObject({ code: 0, stderr: told });
    expect(await mount(link)).toMatchObject({ code: 0, stderr: '' });
    // The service does not answer the upload that goes on.
    const { stderr } = await sandbox.svcfs(['status']);
    expect(stderr).not.toContain('not uploaded yet');
    world.proxy.heal();
    await waitUntil(async () => (await world.files()).includes('left'), { timeoutMs: 30_000 });
    expect(await sandbox.svcfs(['unmount', elsewhere])).toMatchObject({ code: 0 });
    await world.remount();
    expect(await mount(elsewhere)).toMatchObject({ code: 0, stderr: '' });
    expect(await sandbox.svcfs(['unmount', elsewhere])).toMatchObject({ code: 0 });
  });
});
