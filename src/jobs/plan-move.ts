import type { FileRecord, FolderRecord } from '../api/model.ts';
import { type Plan, type Planner, refused } from './plan.ts';
import { planExport } from './plan-export.ts';
import { planImport } from './plan-import.ts';
import type { TransferRequest } from './ports.ts';
import { type ProjectTarget, refusalOfName, refusalOfVolumeSource } from './refusals.ts';

/**
 * | from            | to                | calls                                    |
 * |-----------------|-------------------|------------------------------------------|
 * | file            | same folder       | edit call (name)                         |
 * | file            | same project      | move call                                |
 * | file            | other project     | async move                               |
 * | folder          | project           | async move: no other call takes folders  |
 * | file, folder    | volume            | export of each file                      |
 * | object, prefix  | project           | import of each object; they stay         |
 * | object, prefix  | volume            | refused                                  |
 */
export const planMove: Planner = (request, contents) => {
  const { source, target } = request;
  if (source.kind === 'object' || source.kind === 'prefix') {
    return target.kind === 'project'
      ? planImport({ source, target, overwrite: request.overwrite }, contents)
      : refusalOfVolumeSource(source.volume, target.volume);
  }
  if (target.kind === 'volume') {
    return planExport({ source, target, overwrite: request.overwrite, copyOnly: false }, contents);
  }
  if (!source.permissions.write || !target.permissions.write) {
    return refused('no-permission', 'moving needs write permission on both projects');
  }
  const badName = refusalOfName(target.name, source.kind);
  if (badName) {
    return badName;
  }
  return source.kind === 'file' ? moveFile(source.file, target, request) : moveFolder(source.folder, target);
};

function moveFile(file: FileRecord, target: ProjectTarget, { overwrite }: TransferRequest): Plan {
  const to = { parent: target.parent, name: target.name };
  if (file.project !== target.project) {
    return { kind: 'async', operation: 'move', file: file.id, to };
  }
  if (file.parent !== target.parent) {
    return { kind: 'move', file: file.id, to, overwrite };
  }
  return file.name === target.name
    ? { kind: 'unchanged' }
    : { kind: 'rename', file: file.id, name: target.name, overwrite };
}

function moveFolder(folder: FolderRecord, target: ProjectTarget): Plan {
  if (folder.id === target.parent) {
    return refused('into-itself', 'a folder cannot be moved into itself');
  }
  if (folder.parent === target.parent && folder.name === target.name) {
    return { kind: 'unchanged' };
  }
  return {
    kind: 'async',
    operation: 'move',
    file: folder.id,
    to: { parent: target.parent, name: target.name },
  };
}
