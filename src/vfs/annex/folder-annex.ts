import type { Clock } from '../../lib/clock.ts';
import { inodeNumber } from '../model/inode-number.ts';
import type { ProjectFolderNode } from '../model/node.ts';
import { CONTROL_DIRECTORIES, CONTROL_FILES } from '../trees/control/control.ts';
import { FOLDER_RECORDS, PROJECT_RECORDS } from '../trees/folders/folder-records.ts';
import type { LocalRoom } from './local-room.ts';
import type { AnnexDirectory, AnnexName, AnnexSource, LocalNode } from './node.ts';
import type { AnnexNodes } from './nodes.ts';
import type { TableScope } from './table-scope.ts';
import { isTableName, TABLE_NAMES, tableNode } from './tables.ts';

export interface AnnexParts {
  readonly nodes: AnnexNodes;
  readonly clock: Clock;
}

/** `.svcfs/`: the tables of some files, and what programs put beside them. */
export function tablesSource(scope: TableScope, room: LocalRoom, { nodes, clock }: AnnexParts): AnnexSource {
  return {
    scope,
    room,
    child: async (directory, name, signal) => {
      if (isTableName(name))
        return isAway(directory, name, clock)
          ? undefined
          : tableNode(directory, name, { nodes, clock, signal });
      if ((await room.stat(name)) === undefined) return undefined;
      return localNode(directory, name, { room, nodes });
    },
    names: async (directory) => [
      ...TABLE_NAMES.filter((name) => !isAway(directory, name, clock)).map(
        (name): AnnexName => ({ name, kind: 'table' }),
      ),
      ...(await room.names()).map((name): AnnexName => ({ name, kind: 'local' })),
    ],
  };
}

/** A table whose name nobody makes anew is back. */
const AWAY_MS = 60_000;

function isAway({ away }: AnnexDirectory, name: string, clock: Clock): boolean {
  const sinceMs = away.get(name);
  return sinceMs !== undefined && clock.elapsed() - sinceMs < AWAY_MS;
}

/** The node of a file that is there. */
export function localNode(
  directory: AnnexDirectory,
  name: string,
  { room, nodes }: { readonly room: LocalRoom; readonly nodes: AnnexNodes },
): LocalNode {
  const before = directory.children.get(name);
  if (before?.kind === 'local') return before;
  return nodes.add((id) => ({
    id,
    // As long as it lives, whatever its name.
    ino: inodeNumber(`annex:${id}`),
    parent: directory,
    name,
    lookups: 0,
    kind: 'local',
    room,
  }));
}

/** The same, which lists what the platform answers of the folder as well. */
export function withRecords(source: AnnexSource, folder: ProjectFolderNode): AnnexSource {
  const records = recordNames(folder).map(
    (name): AnnexName => ({ name, kind: name === 'entries' ? 'directory' : 'table' }),
  );
  return { ...source, names: async (...asked) => [...records, ...(await source.names(...asked))] };
}

/** They are synthetic entries (`attachAnnexes`). */
export function recordNames(folder: ProjectFolderNode): readonly string[] {
  return folder.record ? FOLDER_RECORDS : PROJECT_RECORDS;
}

/** The same, which lists what the mount tells about itself as well. */
export function withControl(source: AnnexSource): AnnexSource {
  const control = [
    ...CONTROL_FILES.map((name): AnnexName => ({ name, kind: 'table' })),
    ...CONTROL_DIRECTORIES.map((name): AnnexName => ({ name, kind: 'directory' })),
  ];
  return { ...source, names: async (...asked) => [...control, ...(await source.names(...asked))] };
}
