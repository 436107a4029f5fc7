import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Gene, toGtf } from './genes.ts';
import { type Chromosome, toFasta } from './genome.ts';
import { runProgram } from './program.ts';

/** Writes the genome with its index and dictionary, and the genes, into `directory` below `cwd`. */
export async function writeReference(
  cwd: string,
  directory: string,
  { genome, genes }: { readonly genome: readonly Chromosome[]; readonly genes: readonly Gene[] },
): Promise<void> {
  await mkdir(join(cwd, directory), { recursive: true });
  await writeFile(join(cwd, directory, 'genome.fa'), toFasta(genome));
  await writeFile(join(cwd, directory, 'genes.gtf'), toGtf(genes));
  await runProgram('samtools', ['faidx', 'genome.fa'], { cwd: join(cwd, directory) });
  await runProgram('samtools', ['dict', '-u', '.', '-o', 'genome.dict', 'genome.fa'], {
    cwd: join(cwd, directory),
  });
}
