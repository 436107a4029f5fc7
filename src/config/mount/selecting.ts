import { InvalidValue, type Option } from '../option.ts';

/** The directories at the top of a mount that hold what the platform has. */
export const TREES = ['projects', 'volumes', 'apps', 'tasks', 'billing'] as const;
export type Tree = (typeof TREES)[number];

const project: Option<readonly string[] | undefined> = {
  flags: '--project <owner/name>',
  help:
    'of the projects, show this one only; may be repeated. * stands for any characters, ? for one, [0-9] for one of these. ' +
    'A project made later that fits is shown as well',
  default: undefined,
  defaultText: 'all projects',
  collect: true,
  parse: parseOwned,
};

const volume: Option<readonly string[] | undefined> = {
  flags: '--volume <owner/name>',
  help: 'of the volumes, show this one only; as --project',
  default: undefined,
  defaultText: 'all volumes',
  collect: true,
  parse: parseOwned,
};

const trees: Option<readonly Tree[] | undefined> = {
  flags: '--trees <names>',
  help: `top directories to show, by commas: ${TREES.join(', ')}`,
  default: undefined,
  defaultText: 'all of them',
  parse: parseTrees,
};

const root: Option<string | undefined> = {
  flags: '--root <path>',
  help:
    'directory of the platform at which the mount begins, as projects/lab/rna, or a folder in it, or volumes/lab/data; ' +
    'its files are at the mount point itself',
  default: undefined,
  defaultText: 'the top, which has projects and volumes',
  parse: parseRoot,
};

const manifest: Option<string | undefined> = {
  flags: '--manifest <file>',
  help:
    'show exactly the files that this manifest pins, at the paths that it gives them, and refuse every change ' +
    '(svcfs help manifest)',
  default: undefined,
  defaultText: 'none',
};

const showControl: Option<boolean> = {
  flags: '--show-control',
  help: 'list .svcfs, which tells about the mount, at the mount point; it is found by its name in any case',
  default: false,
};

/** Which part of the platform a mount shows. */
export const SELECTING = { project, volume, trees, root, manifest, showControl } as const;

/** `OWNER/NAME`, either of which may be a pattern. */
function parseOwned(text: string): readonly string[] {
  if (!/^[^/]+\/[^/]+$/.test(text)) throw new InvalidValue('Expected OWNER/NAME, such as lab/rna or lab/*.');
  return [text];
}

function parseTrees(text: string): readonly Tree[] {
  const names = text.split(',').map((name) => name.trim());
  return names.map((name) => {
    const known = TREES.find((tree) => tree === name);
    if (known === undefined) throw new InvalidValue(`Expected names by commas, of ${TREES.join(', ')}.`);
    return known;
  });
}

/** Without slashes at its ends. */
function parseRoot(text: string): string {
  const names = text.replace(/^\/+|\/+$/g, '').split('/');
  const [tree, owner, name] = names;
  const isDirectory =
    (tree === 'projects' || tree === 'volumes') && owner !== undefined && name !== undefined;
  if (!isDirectory || names.some((each) => ['', '.', '..'].includes(each)))
    throw new InvalidValue('Expected a path such as projects/lab/rna, or projects/lab/rna/FOLDER.');
  if (/[*?[]/.test(`${owner}${name}`)) throw new InvalidValue('Expected one directory, and no pattern.');
  return names.join('/');
}
