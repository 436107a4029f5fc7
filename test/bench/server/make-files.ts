import { access, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mustRun } from '../../support/run.ts';
import { nativeProgram } from '../measure/native-program.ts';
import type { Sizes } from '../sizes.ts';
import { APART, BAM, BIG_FILES, CROWD, MANY, OUT, THOUSAND, TREE } from './names.ts';

const MIB = 1024 * 1024;

/**
 * Makes the files of the data set in a directory.
 *
 * @param kept Where what takes long to make is kept for the next run.
 */
export async function makeFiles(
  tree: string,
  { kept, sizes }: { readonly kept: string; readonly sizes: Sizes },
): Promise<void> {
  for (const name of ['big', MANY, THOUSAND, TREE, CROWD, 'bam', OUT])
    await mkdir(join(tree, name), { recursive: true });
  for (const name of BIG_FILES) {
    await mustRun('bash', ['-c', `head -c ${sizes.bigBytes} /dev/urandom > "$0"`, join(tree, name)]);
  }
  for (let i = 0; i < sizes.entries; i += 1) {
    await writeFile(join(tree, MANY, `e${String(i).padStart(5, '0')}`), `${i}\n`);
  }
  for (let i = 0; i < sizes.listedFiles; i += 1) {
    await writeFile(join(tree, THOUSAND, `f${i}`), String(i).padEnd(4096, '.'));
  }
  for (const name of APART) {
    await mkdir(dirname(join(tree, name)), { recursive: true });
    await writeFile(join(tree, name), Buffer.alloc(MIB, name));
  }
  await makeTree(join(tree, TREE), sizes.branches);
  await mustRun('bash', ['-c', `cd "$0" && seq -f e%06.0f ${sizes.crowd} | xargs touch`, join(tree, CROWD)]);
  const bam = await keptBam(kept, sizes.bamReads);
  await copyFile(bam, join(tree, BAM));
  await copyFile(`${bam}.bai`, join(tree, `${BAM}.bai`));
}

/** Folders in folders, `branches` wide. */
async function makeTree(directory: string, branches: number): Promise<void> {
  const names = Array.from({ length: branches }, (_, index) => String(index).padStart(2, '0'));
  for (const outer of names) {
    for (const inner of names) {
      const folder = join(directory, outer, inner);
      await mkdir(folder, { recursive: true });
      for (const file of ['a', 'b', 'c']) await writeFile(join(folder, file), file);
    }
  }
}

async function keptBam(kept: string, reads: number): Promise<string> {
  const bam = join(kept, `sample-${reads}.bam`);
  const isThere = await access(`${bam}.bai`).then(
    () => true,
    () => false,
  );
  if (isThere) return bam;
  await mkdir(kept, { recursive: true });
  const script = '"$0" bam-text "$1" | samtools view -O bam,level=1 -@ 2 -o "$2" - && samtools index "$2"';
  await mustRun('bash', ['-o', 'pipefail', '-c', script, nativeProgram('load'), String(reads), bam], {
    timeoutMs: 600_000,
  });
  return bam;
}
