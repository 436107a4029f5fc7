import { basename } from 'node:path/posix';
import type { Failure } from '../errors/error-registry.ts';
import type { Node } from '../model/node.ts';
import { pathOf } from '../model/node.ts';
import type { Tree } from '../model/tree.ts';
import type { Fields } from './fields.ts';

/** What this mount tells about a path: its last error or that of a name in it, its job, its upload. */
export function notesOf(node: Node, tree: Pick<Tree, 'errors' | 'jobs' | 'writer'>): Fields {
  const path = pathOf(node);
  const job = tree.jobs.ofPath(path);
  const upload = tree.writer.uploads().find(({ label }) => label === path);
  return {
    error: errorText(tree.errors.lastAt(path), path),
    job: job && JSON.stringify(job),
    upload: upload && JSON.stringify(upload),
  };
}

function errorText(failure: Failure | undefined, path: string): string | undefined {
  if (failure === undefined || failure.path === path) return failure?.text;
  return `${basename(failure.path)}: ${failure.text}`;
}
