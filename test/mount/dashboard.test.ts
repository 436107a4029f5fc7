import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readPageFiles } from '../../src/cli/dashboard/http/page-files.ts';
import { mountDirectory } from '../../src/config/directories.ts';
import { ServedMount } from '../support/served-mount.ts';
import { openDashboard, TOKEN } from '../unit/cli/dashboard/open-dashboard.ts';
import { SomeMounts } from '../unit/cli/dashboard/some-mounts.ts';

/** Of Debian. */
const CHROMIUM = '/usr/bin/chromium';
const PHONE = { width: 390, height: 844 };
const PROJECT = '/projects/demo/trio-exomes';

let cache: string;
let served: ServedMount;
let browser: Browser;
let address: string;

beforeAll(async () => {
  cache = await mkdtemp(join(tmpdir(), 'cache-'));
  served = await ServedMount.start({ mountArgs: ['--cache-dir', cache, '--cache-size', '100M'] });
  const dashboard = served.sandbox.start(['dashboard', '--no-open']);
  [, address = ''] = await dashboard.says(/^dashboard: (http:\S+)/m);
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await served?.clean();
  await rm(cache, { recursive: true });
});

async function open(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(address);
  await page.getByRole('heading', { level: 1, name: served.sandbox.mountPoint }).waitFor();
  return page;
}

/** What a page does that its policy forbids, or that fails. */
function troubles(page: Page): string[] {
  const found: string[] = [];
  page.on('pageerror', (error) => found.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') found.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(address)) found.push(request.url());
  });
  return found;
}

interface AxeResults {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** The rules of axe-core that the page breaks, and where. */
async function findings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run()')) as AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

for (const colorScheme of ['light', 'dark'] as const) {
  it(`can be used by who sees little or has no pointer, in ${colorScheme} colours, on a screen and on a phone`, async () => {
    for (const viewport of [{ width: 1280, height: 900 }, PHONE]) {
      const page = await open({ colorScheme, viewport });
      // The charts come with the first sample, ten seconds after the mount.
      await page.getByRole('img', { name: /^Throughput over the last hour/ }).waitFor();
      expect(await findings(page)).toEqual([]);
      await page.getByRole('button', { name: 'Show as a table' }).press('Enter');
      await page.getByRole('table').waitFor();
      expect(await findings(page)).toEqual([]);
      expect(await page.evaluate('document.body.scrollWidth')).toBeLessThanOrEqual(viewport.width);
      await page.context().close();
    }
  });
}

it('shows fifty mounts, and finds one of them, on a screen and on a phone', async () => {
  const mounts = new SomeMounts();
  for (let number = 1; number <= 50; number += 1) mounts.add(`/home/ann/mounts/project-${number}`);
  mounts.add('/home/ann/mounts/far-away', () => Promise.reject(new Error('its process does not answer')));
  const { port } = await openDashboard({ mounts, page: await readPageFiles() });
  for (const viewport of [{ width: 1280, height: 900 }, PHONE]) {
    const page = await browser.newPage({ viewport });
    await page.goto(`http://127.0.0.1:${port}/${TOKEN}/`);
    const list = page.getByRole('navigation', { name: 'Mounts' });
    // Mounts in trouble come first.
    await list.getByRole('link').first().getByText('far-away', { exact: true }).waitFor();
    expect(await list.getByRole('link').count()).toBe(51);
    expect(await findings(page)).toEqual([]);
    await list.getByRole('searchbox').fill('project-42');
    await list.getByRole('link').press('Enter');
    await page.getByRole('heading', { level: 1, name: '/home/ann/mounts/project-42' }).waitFor();
    await page.close();
  }
});

it('says what to do where there is no mount, and when the command has ended', async () => {
  const { port, close } = await openDashboard({ page: await readPageFiles() });
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${port}/${TOKEN}/`);
  await page.getByRole('heading', { name: 'No mount of yours is running' }).waitFor();
  expect(await findings(page)).toEqual([]);
  await close();
  await page.getByText('Not connected: svcfs dashboard has ended').waitFor();
  await page.close();
});

it('shows a failure with its remedy as it happens, and asks nobody else for anything', async () => {
  const page = await open();
  const found = troubles(page);
  await page.reload();
  await expect(mkdir(served.path('projects', 'demo', 'new'))).rejects.toThrow('EPERM');
  const failures = page.getByRole('region', { name: 'Failures' });
  await failures.getByText('/projects/demo/new', { exact: true }).waitFor();
  await failures.getByText('svcfs project create').waitFor();
  expect(found).toEqual([]);
  await page.context().close();
});

it('saves and drops a kept file by the keys alone, and asks before it drops', async () => {
  const { root } = mountDirectory(join(served.sandbox.root, 'state', 'svcfs'), served.sandbox.mountPoint);
  const [account = ''] = await readdir(join(root, 'accounts'));
  const aside = join(root, 'accounts', account, 'uploads', 'recovered');
  await mkdir(aside, { recursive: true, mode: 0o700 });
  await writeFile(join(aside, 'run.bam'), 'precious');
  const page = await open({ viewport: PHONE });
  const kept = page.getByRole('region', { name: /^Kept on this machine/ });
  await kept.getByRole('button', { name: /^Save .*run\.bam elsewhere$/ }).press('Enter');
  const to = join(served.sandbox.root, 'saved');
  await kept.getByRole('textbox', { name: /^Save to/ }).fill(to);
  await page.keyboard.press('Enter');
  await kept.getByText(`saved to ${to}`).waitFor();
  expect(await readFile(to, 'utf8')).toBe('precious');
  expect(await findings(page)).toEqual([]);
  const drop = kept.getByRole('button', { name: /^Drop .*run\.bam$/ });
  await drop.press('Enter');
  await page.getByRole('button', { name: 'Keep it' }).press('Enter');
  expect(await readdir(aside)).toContain('run.bam');
  await drop.press('Enter');
  expect(await findings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Drop for ever' }).press('Enter');
  await kept.getByText('Nothing is kept').waitFor();
  expect(await readdir(aside)).toEqual([]);
  await page.context().close();
});

it('fetches a folder into the disk cache, tells what is there, and evicts it', async () => {
  const page = await open();
  const folders = page.getByRole('region', { name: 'Disk cache by folder' });
  await folders.getByRole('textbox').fill(served.path(PROJECT));
  await folders.getByRole('button', { name: 'Fetch into the cache' }).click();
  await folders.getByText(/^cached · (\d+) of \1 files/).waitFor();
  await folders.getByRole('button', { name: 'How much is cached?' }).click();
  await folders.getByText(/ cached, (\d+) of \1 files whole$/).waitFor();
  await folders.getByRole('button', { name: 'Evict' }).click();
  await folders.getByText(/ of disk space freed$/).waitFor();
  await page.context().close();
});
