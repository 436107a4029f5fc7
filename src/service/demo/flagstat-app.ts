import { installApp } from '../apps/install-app.ts';
import type { Caller } from '../http/caller.ts';
import type { ProjectRow } from '../members/project-table.ts';
import type { Services } from '../services.ts';
import { createTask } from '../tasks/create-task.ts';

/** Adds an app that counts the alignments of a BAM file, and a task of it that waits to be run. */
export async function addFlagstatApp(
  services: Services,
  caller: Caller,
  { project, input }: { readonly project: ProjectRow; readonly input: { readonly id: string } },
): Promise<void> {
  const path = { owner: project.owner, project: project.short_name, app: 'samtools-flagstat' };
  const app = await installApp(services, caller, { path, document: FLAGSTAT_TOOL });
  const body = {
    project: project.id,
    app: app.id,
    name: 'Flagstat of the child',
    description: 'Counts the alignments of child.bam.',
    inputs: { alignments: { class: 'File', path: input.id } },
  };
  await createTask(services, caller, { body, batch: false, run: false });
}

const FLAGSTAT_TOOL = {
  cwlVersion: 'v1.2',
  class: 'CommandLineTool',
  label: 'Samtools flagstat',
  description: 'Counts the alignments of a BAM file by their flags.',
  baseCommand: ['samtools', 'flagstat'],
  arguments: [],
  inputs: [{ id: 'alignments', type: 'File', inputBinding: { position: 1 } }],
  outputs: [{ id: 'counts', type: 'stdout' }],
  stdout: 'flagstat.txt',
  hints: [],
  requirements: [],
  successCodes: [0],
  temporaryFailCodes: [],
  'svc:categories': ['Alignment', 'Quality control'],
  'svc:toolkit': 'SAMtools',
  'svc:toolkitVersion': '1.16',
  'svc:toolAuthor': 'The SAMtools authors',
  'svc:license': 'MIT',
  'svc:links': [{ id: 'http://www.htslib.org', label: 'Home page' }],
  'svc:cmdPreview': 'samtools flagstat alignments.bam > flagstat.txt',
  'svc:job': { inputs: {}, allocatedResources: { cpu: 1, mem: 1000 } },
};
