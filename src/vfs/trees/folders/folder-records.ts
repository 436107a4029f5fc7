/**
 * The records of a folder, in its `.svcfs/`: asked for at each look, as it was written.
 *
 *   folder.json                   the folder
 *   entries/NAME.json             the file or folder NAME in it
 *   project.json  members.tsv     in the directory of a project
 */
import type { PlatformRecord, RecordKind } from '../../../api/api.ts';
import { PAGE_LIMIT_MAX } from '../../../contract/limits.ts';
import { exactText, printExactly } from '../../../lib/exact-json.ts';
import { collect, pagesInOrder } from '../../../lib/pages-in-order.ts';
import { tsvLine } from '../../../metadata/format/tsv.ts';
import { isHidden } from '../../model/hidden.ts';
import { folderIdOf, type Node, type ProjectFolderNode, type VolumeDirectoryNode } from '../../model/node.ts';
import type { SyntheticDirectory, SyntheticEntry, SyntheticFile } from '../../model/synthetic.ts';
import type { Tree } from '../../model/tree.ts';
import { file, fixedEntries } from '../../synthetic/entries.ts';
import { entryJsonName, isJsonNameOf } from './json-name.ts';

type Parts = Pick<Tree, 'api' | 'childOf' | 'childrenOf'>;

const AT_EACH_LOOK = { entriesTtlMs: 0 };

export const FOLDER_RECORDS: readonly string[] = ['folder.json', 'entries'];
export const PROJECT_RECORDS: readonly string[] = [...FOLDER_RECORDS, 'project.json', 'members.tsv'];

/** The names are `FOLDER_RECORDS`, or in the directory of a project `PROJECT_RECORDS`. */
export function folderRecords(folder: ProjectFolderNode, parts: Parts): SyntheticDirectory {
  const { project } = folder;
  const ofFolder = {
    'folder.json': recordFile(parts, 'file', () => folderIdOf(folder)),
    entries: entryRecords(folder, parts),
  };
  const ofProject = {
    'project.json': recordFile(parts, 'project', () => project.id),
    'members.tsv': file((signal) => membersTable(project.id, parts, signal)),
  };
  return fixedEntries(folder.record ? ofFolder : { ...ofFolder, ...ofProject }, AT_EACH_LOOK);
}

/** `.svcfs/` of a volume. */
export function volumeRecords({ volume }: VolumeDirectoryNode, parts: Parts): SyntheticDirectory {
  return fixedEntries({ 'volume.json': recordFile(parts, 'volume', () => volume.id) }, AT_EACH_LOOK);
}

function recordFile({ api }: Parts, kind: RecordKind, id: () => string): SyntheticFile {
  return file(async (signal) => `${printExactly(await api.records.get(kind, id(), { signal }), 2)}\n`);
}

/** An entry that is not on the platform yet has no record. */
function entryRecords(folder: ProjectFolderNode, parts: Parts): SyntheticDirectory {
  const entryOf = (node: Node | undefined): SyntheticEntry | undefined => {
    const id = node && idOf(node);
    return id === undefined ? undefined : recordFile(parts, 'file', () => id);
  };
  const children = async (signal: AbortSignal): Promise<readonly Node[]> =>
    (await parts.childrenOf(folder, signal)).filter((node) => !isHidden(node));
  return {
    ...AT_EACH_LOOK,
    kind: 'directory',
    list: async (_, signal) => ({
      names: (await children(signal))
        .filter((node) => idOf(node) !== undefined)
        .map(({ name }) => ({ name: entryJsonName(name), kind: 'file' })),
    }),
    lookup: async (shown, signal) => {
      const plain = /^(.+)\.json$/.exec(shown)?.[1];
      if (plain !== undefined) return entryOf(await parts.childOf(folder, plain, signal));
      const isMeant = isJsonNameOf(shown);
      return isMeant && entryOf((await children(signal)).find(({ name }) => isMeant(name)));
    },
  };
}

function idOf(node: Node): string | undefined {
  return node.kind === 'project-file' || node.kind === 'project-folder' ? node.record?.id : undefined;
}

const RIGHTS = ['read', 'write', 'copy', 'execute', 'admin'];

/** A line for each member: name, type, and each right as true or false. */
async function membersTable(project: string, { api }: Parts, signal: AbortSignal): Promise<string> {
  const members = await collect(
    pagesInOrder<PlatformRecord & { readonly id: string; readonly name: string }>(
      async (page, aborted) => {
        const { items, ...rest } = await api.records.list('members', { of: project }, page, {
          signal: aborted,
        });
        return { ...rest, items: items.map((each) => ({ ...each, id: nameOf(each), name: nameOf(each) })) };
      },
      { what: `the members of ${project}`, limit: PAGE_LIMIT_MAX, signal },
    ),
  );
  const lines = members.map((member) => {
    const { permissions } = member as PlatformRecord;
    const rights = RIGHTS.map((right) => String((permissions as PlatformRecord | undefined)?.[right] ?? ''));
    return tsvLine([member.name, exactText((member as PlatformRecord)['type']) ?? '', ...rights]);
  });
  return tsvLine(['username', 'type', ...RIGHTS]) + lines.join('');
}

function nameOf(member: PlatformRecord): string {
  return exactText(member['username']) ?? '';
}
