/** A path on the platform, as tables and commands write it: `project:owner/name/folder/file`. */
export interface PlatformPath {
  /** `owner/name` */
  readonly project: string;
  /** Names of the folders and of the file, as the platform has them. */
  readonly names: readonly string[];
}

const SCHEME = 'project:';

export function isPlatformPath(text: string): boolean {
  return text.startsWith(SCHEME);
}

export function describePath({ project, names }: PlatformPath): string {
  return `${SCHEME}${[project, ...names].join('/')}`;
}

/** Undefined when it names no project. */
export function parsePlatformPath(text: string): PlatformPath | undefined {
  const [owner = '', name = '', ...names] = text.slice(SCHEME.length).split('/');
  if (!isPlatformPath(text) || owner === '' || name === '') return undefined;
  return { project: `${owner}/${name}`, names: names.filter((part) => part !== '') };
}
