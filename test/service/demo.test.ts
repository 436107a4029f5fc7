import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import tmp from 'tmp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillWithDemo } from '../../src/service/demo/fill-with-demo.ts';
import { usersIn } from '../../src/service/users/user-table.ts';
import { run } from '../support/run.ts';
import { waitUntil } from '../support/wait-until.ts';
import { TestService, TestUser } from './test-service.ts';

let service: TestService;
let demo: TestUser;

beforeAll(async () => {
  service = await TestService.start({ workers: true, tasks: { executor: 'cwltool' } });
  await fillWithDemo(service.services, { dataDir: service.dataDir, log: () => undefined });
  const token = (await readFile(join(service.dataDir, 'demo-token'), 'utf8')).trim();
  demo = new TestUser(service.url, 'demo', token);
});

afterAll(() => service.stop());

/** Every file and folder of a project by its path, as the listing shows them. */
async function tree(project: string) {
  const { body } = await demo.get(`/projects/${project}`);
  const found = new Map<
    string,
    { id: string; type: string; size: number; metadata: Record<string, string> }
  >();
  const walk = async (folder: string, path: string): Promise<void> => {
    for (let offset = 0, total = 1; offset < total; offset += 100) {
      const page = await demo.get(`/files/${folder}/list?limit=100&offset=${offset}&fields=_all`);
      total = Number(page.headers.get('x-total-matching-query'));
      for (const entry of page.body.items) {
        found.set(path + entry.name, entry);
        if (entry.type === 'FOLDER') await walk(entry.id, `${path}${entry.name}/`);
      }
    }
  };
  await walk(body.root_folder, '');
  return found;
}

describe('the demo', () => {
  it('has hundreds of files in two projects, 250 of them in one folder', async () => {
    const rna = await tree('demo/rna-seq-study');
    const trio = await tree('demo/trio-exomes');
    const files = [...rna.values(), ...trio.values()].filter(({ type }) => type === 'file');
    expect(files.length).toBeGreaterThanOrEqual(300);
    expect([...rna.keys()].filter((path) => path.startsWith('intervals/'))).toHaveLength(250);
    expect(rna.get('raw/RNA01/RNA01_R1.fastq.gz')?.metadata).toMatchObject({
      sample_id: 'RNA01',
      experimental_strategy: 'RNA-Seq',
      paired_end: '1',
    });
  });

  it('holds alignments that samtools reads by region, the reads agreeing with the reference', async () => {
    const files = await tree('demo/trio-exomes');
    const directory = tmp.dirSync({ unsafeCleanup: true }).name;
    for (const path of [
      'child/child.bam',
      'child/child.bam.bai',
      'reference/genome.fa',
      'variants/trio.vcf.gz',
    ]) {
      const answer = await demo.download(files.get(path)?.id ?? '');
      await writeFile(join(directory, path.split('/')[1] ?? ''), Buffer.from(await answer.arrayBuffer()));
    }
    expect(await run('samtools', ['quickcheck', 'child.bam'], { cwd: directory })).toMatchObject({ code: 0 });
    const region = await run('samtools', ['view', '-c', 'child.bam', 'chr20:4000-4400'], { cwd: directory });
    expect(Number(region.stdout)).toBeGreaterThan(50);
    const edits = await run(
      'sh',
      ['-c', 'samtools calmd child.bam genome.fa | grep -o NM:i:.* | cut -c6- | cut -f1'],
      {
        cwd: directory,
      },
    );
    const distances = edits.stdout.trim().split('\n').map(Number);
    expect(distances).toHaveLength(80_000);
    expect(Math.max(...distances)).toBeLessThanOrEqual(4);
  });

  it('has a file of each kind that cannot be exported', async () => {
    const files = await tree('demo/trio-exomes');
    const refused = ['public-targets.bed', 'population-variants.vcf', 'archived-pilot.bam'].map(
      (name) => `shelf/${name}`,
    );
    for (const path of [...refused, 'reference/known-sites.vcf']) {
      const { status, body } = await demo.post('/storage/exports', {
        source: { file: files.get(path)?.id },
        destination: { volume: 'demo/results', location: path },
      });
      expect([path, status, body.code]).toEqual([path, 403, 9006]);
    }
  });

  it('has a read-only volume with reference data and a writable one, and reads an alias through the first', async () => {
    const { body } = await demo.get('/storage/volumes?fields=id,access_mode');
    expect(body.items).toEqual([
      { id: 'demo/reference', access_mode: 'RO' },
      { id: 'demo/results', access_mode: 'RW' },
    ]);
    const level = await demo.get('/storage/volumes/demo/reference/list?prefix=genomes/demo-1/');
    expect(level.body.items.map(({ location }: { location: string }) => location)).toEqual([
      'genomes/demo-1/genome.dict',
      'genomes/demo-1/genome.fa',
      'genomes/demo-1/genome.fa.fai',
    ]);
    const alias = (await tree('demo/trio-exomes')).get('reference/known-sites.vcf');
    const text = await (await demo.download(alias?.id ?? '')).text();
    expect(text).toMatch(/^##fileformat=VCFv4\.2\n/);
    expect(text).toHaveLength(alias?.size ?? -1);
  });

  it('keeps the token for its owner, and leaves a directory that holds the demo as it is', async () => {
    const path = join(service.dataDir, 'demo-token');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const before = await readFile(path, 'utf8');
    await fillWithDemo(service.services, { dataDir: service.dataDir, log: () => undefined });
    expect(await readFile(path, 'utf8')).toBe(before);
  });
});

describe('filling with the demo', () => {
  it('refuses a directory that is in use, and one that was half filled', async () => {
    const other = await TestService.start();
    const options = { dataDir: other.dataDir, log: () => undefined };
    await other.user('alice');
    await expect(fillWithDemo(other.services, options)).rejects.toThrow('is in use');
    await writeFile(join(other.dataDir, 'demo-unfinished'), '');
    await expect(fillWithDemo(other.services, options)).rejects.toThrow('was not finished');
    await other.stop();
  });

  it('makes anew what one that was killed was working on', async () => {
    const other = await TestService.start();
    await mkdir(join(other.dataDir, 'demo-work', 'rna-seq'), { recursive: true });
    await fillWithDemo(other.services, { dataDir: other.dataDir, log: () => undefined });
    expect(await readdir(other.dataDir)).toContain('demo-token');
    await other.stop();
  });

  it('names the package when samtools is missing, and leaves the directory empty', async () => {
    const other = await TestService.start();
    const path = process.env['PATH'];
    const nothing = join(other.dataDir, 'no-programs');
    await mkdir(nothing);
    process.env['PATH'] = nothing;
    try {
      const filling = fillWithDemo(other.services, { dataDir: other.dataDir, log: () => undefined });
      await expect(filling).rejects.toThrow('Debian package: samtools');
    } finally {
      process.env['PATH'] = path;
    }
    expect(await usersIn(other.services.store).count()).toBe(0);
    await other.stop();
  });

  it('has a task that samtools runs, and counts what is in the alignments', async () => {
    const [{ id }] = (await demo.get('/tasks')).body.items;
    await demo.post(`/tasks/${id}/actions/run`);
    const task = await waitUntil(
      async () => {
        const { body } = await demo.get(`/tasks/${id}`);
        return body.status === 'RUNNING' ? undefined : body;
      },
      { timeoutMs: 55_000 },
    );
    expect([task.status, task.errors]).toEqual(['COMPLETED', []]);
    const counts = await (await demo.download(task.outputs.counts.path)).text();
    expect(counts).toMatch(/^[1-9]\d* \+ 0 in total/);
  });
});
