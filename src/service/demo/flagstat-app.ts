import { randomUUID } from 'node:crypto';
import { storedTime } from '../api-time.ts';
import type { Services } from '../services.ts';
import type { ProjectRow } from '../store/projects.ts';

const SHORT_NAME = 'samtools-flagstat';

/** Adds an app that counts the alignments of a BAM file, and a task of it that waits to be run. */
export async function addFlagstatApp(
  { store, clock }: Services,
  project: ProjectRow,
  { input }: { readonly input: { readonly id: string; readonly name: string } },
): Promise<void> {
  const now = clock.now();
  const created_on = storedTime(now);
  const id = `${project.id}/${SHORT_NAME}`;
  const { owner, id: project_id } = project;
  const raw = JSON.stringify(
    flagstatTool({ id, project: project_id, user: owner, seconds: Math.floor(now / 1000) }),
  );
  await store.transaction(async (tx) => {
    await tx.apps.insert(
      { id, project_id, name: 'Samtools flagstat', latest_revision: 0, is_public: 0, created_on },
      { app_id: id, revision: 0, raw, created_by: owner, created_on },
    );
    await tx.tasks.insert({
      id: randomUUID(),
      project_id,
      name: 'Flagstat of the child',
      status: 'DRAFT',
      app_id: id,
      app_revision: 0,
      created_by: owner,
      created_on,
      details: JSON.stringify({
        description: 'Counts the alignments of child.bam.',
        use_interruptible_instances: false,
        inputs: { alignments: { class: 'File', path: input.id, name: input.name } },
        outputs: { counts: null },
      }),
    });
  });
}

interface Provenance {
  readonly id: string;
  readonly project: string;
  readonly user: string;
  /** Since the epoch, as everywhere in `raw`. */
  readonly seconds: number;
}

/** A CommandLineTool with every `svc:` key that the service fills in when an app is installed. */
function flagstatTool({ id, project, user, seconds }: Provenance): object {
  const modified = { 'svc:modifiedOn': seconds, 'svc:modifiedBy': user };
  return {
    cwlVersion: 'v1.2',
    class: 'CommandLineTool',
    id: `${id}/0`,
    label: 'Samtools flagstat',
    description: 'Counts the alignments of a BAM file by their flags.',
    baseCommand: ['samtools', 'flagstat'],
    arguments: [],
    inputs: [{ id: 'alignments', type: 'File', inputBinding: { position: 1 } }],
    outputs: [{ id: 'counts', type: 'stdout' }],
    stdin: '',
    stdout: 'flagstat.txt',
    hints: [],
    requirements: [],
    successCodes: [0],
    temporaryFailCodes: [],
    'svc:id': `${id}/0`,
    'svc:project': project,
    'svc:revision': 0,
    'svc:latestRevision': 0,
    'svc:revisionsInfo': [{ 'svc:revision': 0, ...modified, 'svc:revisionNotes': null }],
    'svc:createdOn': seconds,
    'svc:createdBy': user,
    ...modified,
    'svc:contributors': [user],
    'svc:categories': ['Alignment', 'Quality control'],
    'svc:toolkit': 'SAMtools',
    'svc:toolkitVersion': '1.16',
    'svc:toolAuthor': 'The SAMtools authors',
    'svc:license': 'MIT',
    'svc:links': [{ id: 'http://www.htslib.org', label: 'Home page' }],
    'svc:cmdPreview': 'samtools flagstat alignments.bam > flagstat.txt',
    'svc:job': { inputs: {}, allocatedResources: { cpu: 1, mem: 1000 } },
    'svc:validationErrors': [],
    'svc:image_url': null,
    'svc:sbgMaintained': false,
  };
}
