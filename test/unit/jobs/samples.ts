import type { FileRecord, FolderRecord, ProjectPermissions } from '../../../src/api/model.ts';
import type { TransferRequest, TransferSource, TransferTarget } from '../../../src/jobs/ports.ts';

export const ALL: ProjectPermissions = { read: true, write: true, copy: true, execute: true, admin: true };
export const READ: ProjectPermissions = {
  read: true,
  write: false,
  copy: false,
  execute: false,
  admin: false,
};

export function file(changes: Partial<FileRecord> = {}): FileRecord {
  return {
    kind: 'file',
    id: 'f1',
    name: 'a.bam',
    project: 'alice/trial',
    parent: 'root',
    sizeBytes: 3,
    createdMs: 0,
    modifiedMs: 0,
    storage: { kind: 'platform', locations: [] },
    originTask: undefined,
    originDataset: undefined,
    tags: [],
    metadata: {},
    ...changes,
  };
}

export function alias(location: string, changes: Partial<FileRecord> = {}): FileRecord {
  return file({ storage: { kind: 'volume', volume: 'alice/v1', location }, ...changes });
}

export const folder: FolderRecord = {
  kind: 'folder',
  id: 'd1',
  name: 'raw',
  project: 'alice/trial',
  parent: 'root',
  createdMs: 0,
  modifiedMs: 0,
};

export const ofFile = (each: FileRecord, permissions = ALL): TransferSource => ({
  kind: 'file',
  file: each,
  permissions,
});
export const ofFolder: TransferSource = { kind: 'folder', folder, permissions: ALL };
export const ofObject: TransferSource = { kind: 'object', volume: 'alice/v1', location: 'in/a.bam' };
export const ofPrefix: TransferSource = { kind: 'prefix', volume: 'alice/v1', prefix: 'in/raw/' };

export const toProject = (
  changes: Partial<Extract<TransferTarget, { kind: 'project' }>> = {},
): TransferTarget => ({
  kind: 'project',
  project: 'alice/trial',
  parent: 'root',
  name: 'b.bam',
  permissions: ALL,
  ...changes,
});

export const toVolume = (
  changes: Partial<Extract<TransferTarget, { kind: 'volume' }>> = {},
): TransferTarget => ({
  kind: 'volume',
  volume: 'alice/v1',
  accessMode: 'RW',
  active: true,
  location: 'out/a.bam',
  ...changes,
});

export function request(source: TransferSource, target: TransferTarget, overwrite = false): TransferRequest {
  return { source, target, overwrite, paths: { source: '/projects/s', target: '/volumes/t' } };
}
