import { type Planner, refused } from './plan.ts';
import { planExport } from './plan-export.ts';
import { planImport } from './plan-import.ts';
import { refusalOfName, refusalOfVolumeSource } from './refusals.ts';

/**
 * | from            | to       | calls                                            |
 * |-----------------|----------|--------------------------------------------------|
 * | file            | project  | copy call                                        |
 * | folder          | project  | async copy                                       |
 * | file, folder    | volume   | export of each file with `copy_only`             |
 * | object, prefix  | project  | import of each object, the same as a move        |
 * | object, prefix  | volume   | refused                                          |
 */
export const planCopy: Planner = (request, contents) => {
  const { source, target, overwrite, annotations } = request;
  if (source.kind === 'object' || source.kind === 'prefix') {
    return target.kind === 'project'
      ? planImport({ source, target, overwrite }, contents)
      : refusalOfVolumeSource(source.volume, target.volume);
  }
  if (target.kind === 'volume') {
    return planExport({ source, target, overwrite, copyOnly: true }, contents);
  }
  if (!source.permissions.copy || !target.permissions.write) {
    const message =
      'copying needs copy permission on the project it comes from and write permission on the other';
    return refused('no-permission', message);
  }
  const badName = refusalOfName(target.name, source.kind);
  if (badName) {
    return badName;
  }
  const to = { parent: target.parent, name: target.name };
  if (source.kind === 'folder') {
    return source.folder.id === target.parent
      ? refused('into-itself', 'a folder cannot be copied into itself')
      : { kind: 'async', operation: 'copy', file: source.folder.id, to };
  }
  const { file } = source;
  return file.parent === to.parent && file.name === to.name
    ? { kind: 'unchanged' }
    : { kind: 'copy', file: file.id, to, overwrite, annotations };
};
