/**
 * The demo: a user, two projects of real genomics files, two volumes, an app, a task and a billing group.
 *
 * It is made once, in an empty data directory. A file says that the filling has begun and is removed when it is complete,
 * so that one that was broken off is not taken for the demo. The token of the user `demo` is written last.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exists } from '../../lib/exists.ts';
import { Operator } from '../operator/operator.ts';
import { createProject } from '../projects/create-project.ts';
import type { Services } from '../services.ts';
import { usersIn } from '../users/user-table.ts';
import { addFlagstatApp } from './flagstat-app.ts';
import { makeGenes } from './genes.ts';
import { makeGenome } from './genome.ts';
import { addProjectTree } from './project-tree.ts';
import { describeRnaFile, writeRnaSeqStudy } from './rna-seq-study.ts';
import { describeTrioFile, SHELF, writeTrioExomes } from './trio-exomes.ts';
import { isUnfinished, unfinishedFile } from './unfinished-demo.ts';
import { makeVariants } from './variants.ts';
import { addDemoVolumes } from './volumes.ts';

const DEMO_USER = 'demo';
const TOKEN_FILE = 'demo-token';

export interface DemoOptions {
  /** The service's own. */
  readonly dataDir: string;
  /** Told what is being done, for a person who waits. */
  readonly log: (line: string) => void;
}

/** The data directory cannot take the demo; the message says what to do. */
export class DemoError extends Error {
  override readonly name = 'DemoError';
}

/**
 * Fills an empty data directory; leaves one that holds the demo already as it is.
 *
 * @throws DemoError when it holds something else, or half a demo; MissingProgramError when a program is not installed
 */
export async function fillWithDemo(services: Services, { dataDir, log }: DemoOptions): Promise<void> {
  const token = join(dataDir, TOKEN_FILE);
  if (await isUnfinished(dataDir)) {
    throw new DemoError(`the demo in ${dataDir} was not finished; remove the directory and start again`);
  }
  if (await exists(token)) return;
  if ((await usersIn(services.store).count()) > 0) {
    throw new DemoError(`${dataDir} is in use; the demo needs an empty data directory`);
  }
  const work = join(dataDir, 'demo-work');
  // Of one that was killed.
  await rm(work, { recursive: true, force: true });
  await mkdir(work);
  try {
    log('generating a genome, reads and alignments with samtools');
    const studies = await writeStudies(work);
    await writeFile(unfinishedFile(dataDir), '');
    log('storing them in two projects and two volumes');
    const userToken = await store(services, studies);
    await writeFile(token, `${userToken}\n`, { mode: 0o600 });
    await rm(unfinishedFile(dataDir));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

interface Studies {
  readonly rnaSeq: string;
  readonly trio: string;
}

async function writeStudies(work: string): Promise<Studies> {
  const studies = { rnaSeq: join(work, 'rna-seq'), trio: join(work, 'trio') };
  await mkdir(studies.rnaSeq);
  await mkdir(studies.trio);
  const genome = makeGenome();
  const genes = makeGenes(genome);
  const variants = makeVariants(genome, genes);
  const written = await Promise.allSettled([
    writeRnaSeqStudy(studies.rnaSeq, { genome, genes }),
    writeTrioExomes(studies.trio, { genome, genes, variants }),
  ]);
  // Only when both have ended: the work directory is removed under nobody.
  for (const study of written) if (study.status === 'rejected') throw study.reason;
  return studies;
}

/** @returns The token of the demo user. */
async function store(services: Services, studies: Studies): Promise<string> {
  const operator = new Operator(services);
  const user = await operator.createUser(DEMO_USER, { profile: { first_name: 'Demo', last_name: 'User' } });
  const billingGroup = await operator.createBillingGroup(DEMO_USER, 'Demo funds');
  const rnaSeq = await createProject(services, user, {
    name: 'RNA-seq study',
    description: 'Simulated transcriptomes of twelve samples, treated and control.',
    billing_group: billingGroup,
  });
  const trio = await createProject(services, user, {
    name: 'Trio exomes',
    description: 'Simulated exomes of a father, a mother and their child.',
    billing_group: billingGroup,
  });
  await addProjectTree(services, rnaSeq, { directory: studies.rnaSeq, describe: describeRnaFile });
  const ids = await addProjectTree(services, trio, { directory: studies.trio, describe: describeTrioFile });
  await operator.markFile(idOf(ids, SHELF.public), { public: true });
  await operator.markFile(idOf(ids, SHELF.dataset), { dataset: 'demo-population' });
  await operator.markFile(idOf(ids, SHELF.archived), { archived: true });
  await addDemoVolumes(services, user, { trioDirectory: studies.trio, trio });
  await addFlagstatApp(services, user, { project: trio, input: { id: idOf(ids, 'child/child.bam') } });
  return operator.issueToken(DEMO_USER);
}

function idOf(ids: ReadonlyMap<string, string>, path: string): string {
  const id = ids.get(path);
  if (id === undefined) throw new Error(`the demo has no file ${path}`);
  return id;
}
