import type { Node } from '../node.ts';
import { pathOf } from '../node.ts';
import type { Tree } from '../tree.ts';
import type { Fields } from './fields.ts';

/** What this mount tells about a path: its last error, the job and the upload that concern it. */
export function notesOf(node: Node, tree: Pick<Tree, 'errors' | 'jobs' | 'writer'>): Fields {
  const path = pathOf(node);
  const job = tree.jobs.ofPath(path);
  const upload = tree.writer.uploads().find(({ label }) => label === path);
  return {
    error: tree.errors.ofPath(path)?.text,
    job: job && JSON.stringify(job),
    upload: upload && JSON.stringify(upload),
  };
}
