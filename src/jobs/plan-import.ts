import { type ImportPlan, type Plan, refused, type SourceContents } from './plan.ts';
import type { TransferSource } from './ports.ts';
import { isNormalLocation, type ProjectTarget, refusalOfName } from './refusals.ts';
import { keptFolderName } from './reserved-folders.ts';

export interface ImportWish {
  readonly source: Extract<TransferSource, { kind: 'object' | 'prefix' }>;
  readonly target: ProjectTarget;
  readonly overwrite: boolean;
}

/** One import for each object, after a folder for each level. The objects stay where they are. */
export function planImport(wish: ImportWish, contents: SourceContents): Plan {
  const { source, target, overwrite } = wish;
  if (!target.permissions.write) {
    return refused('no-permission', 'importing needs write permission on the project');
  }
  const badName = refusalOfName(target.name, source.kind) ?? refusalOfSource(wish, contents);
  if (badName) {
    return badName;
  }
  const { volume } = source;
  if (source.kind === 'object') {
    const { location } = source;
    return location.endsWith('/')
      ? refused('bad-name', 'an object whose location ends in "/" cannot be imported')
      : {
          kind: 'imports',
          parent: target.parent,
          folders: [],
          imports: [{ path: '', volume, location, folder: '', name: target.name, overwrite }],
        };
  }
  return importPrefix(wish, source.prefix, contents.locations);
}

/** Undefined when a job takes each location for that of the same object: the platform collapses slashes, and takes dots out. */
function refusalOfSource({ source }: ImportWish, { locations }: SourceContents): Plan | undefined {
  const all = source.kind === 'object' ? [source.location] : locations;
  const odd = all.find((location) => !isNormalLocation(location.replace(/\/$/, '')));
  return odd === undefined
    ? undefined
    : refused(
        'bad-name',
        `the platform would import another object than ${JSON.stringify(odd)}, whose key has an empty, "." or ".." segment; copy it with cp`,
      );
}

function importPrefix(wish: ImportWish, prefix: string, locations: readonly string[]): Plan {
  const { source, target, overwrite } = wish;
  const folders = new Set([target.name]);
  const imports: ImportPlan[] = [];
  for (const location of locations) {
    const path = location.slice(prefix.length);
    const below = path.split('/');
    const name = below.pop() ?? '';
    const segments = [target.name, ...below.map(keptFolderName)];
    for (let depth = 1; depth <= segments.length; depth += 1) {
      const segment = segments[depth - 1] ?? '';
      const refusal = refusalOfName(segment, 'prefix');
      if (refusal) {
        return refusal;
      }
      folders.add(segments.slice(0, depth).join('/'));
    }
    imports.push({ path, volume: source.volume, location, folder: segments.join('/'), name, overwrite });
  }
  return { kind: 'imports', parent: target.parent, folders: [...folders], imports };
}
