/**
 * Directories of queries: `find/TERM/TERM/` with a link to each file below the folder that meets the terms, and `by/KEY/`
 * with a link to the query of each value. Terms are looked up and never listed: there is no end of them.
 */
import { createHash } from 'node:crypto';
import { valuesOf } from '../../metadata/query/matches.ts';
import { parseSubject, parseTerm, type Term, TermError } from '../../metadata/query/term.ts';
import { folderPlace } from '../listing/places-at.ts';
import { ANNEX } from '../model/escape.ts';
import { inodeNumber } from '../model/inode-number.ts';
import type { ProjectFolderNode } from '../model/node.ts';
import { entryName, namesOfFiles } from './entry-names.ts';
import { type AnnexParts, tablesSource } from './folder-annex.ts';
import type { LocalRoom } from './local-room.ts';
import type { AnnexDirectory, AnnexName, AnnexNode, AnnexSource } from './node.ts';
import type { Queries } from './queries.ts';
import type { TableScope } from './table-scope.ts';

export interface QueryParts extends AnnexParts {
  readonly queries: Queries;
  readonly folder: ProjectFolderNode;
  /** For the files beside the tables of a query. */
  readonly roomOf: (name: string) => LocalRoom;
}

/** `find` and `by` are in it as well. */
export function withQueries(source: AnnexSource, parts: QueryParts): AnnexSource {
  const { scope } = source;
  const sources: Readonly<Record<string, AnnexSource>> = {
    find: emptySource(scope, (directory, name) => termDirectory(directory, name, [], parts)),
    by: emptySource(scope, (directory, name) => valuesDirectory(directory, name, parts)),
  };
  return {
    ...source,
    child: (directory, name, signal) => {
      const found = Object.hasOwn(sources, name) ? sources[name] : undefined;
      return found ? directoryNode(directory, name, found, parts) : source.child(directory, name, signal);
    },
    names: async (...asked) => [
      ...Object.keys(sources).map((name): AnnexName => ({ name, kind: 'directory' })),
      ...(await source.names(...asked)),
    ],
  };
}

function emptySource(
  scope: TableScope,
  child: (directory: AnnexDirectory, name: string) => AnnexNode | undefined,
): AnnexSource {
  return { scope, room: undefined, child, names: () => [] };
}

/** Undefined where the name is no term. Programs look for names with a dot in every directory. */
function termDirectory(
  directory: AnnexDirectory,
  name: string,
  before: readonly Term[],
  parts: QueryParts,
): AnnexNode | undefined {
  const term = name.startsWith('.') ? undefined : readTerm(() => parseTerm(name));
  const source = (): AnnexSource => querySource([...before, ...(term ? [term] : [])], parts);
  return term && directoryNode(directory, name, source, parts);
}

function querySource(terms: readonly Term[], parts: QueryParts): AnnexSource {
  const { folder, queries, roomOf } = parts;
  const scope: TableScope = { folder, files: (signal) => queries.files(folder, terms, signal) };
  const entries = async (signal: AbortSignal): Promise<ReadonlyMap<string, string>> =>
    namesOfFiles(folderPlace(folder), await scope.files(signal));
  // Up to the folder: the terms, `find` and `.svcfs`.
  const up = '../'.repeat(terms.length + 2);
  const tables = tablesSource(scope, roomOf(digestOf(terms)), parts);
  return {
    scope,
    room: undefined,
    child: async (directory, name, signal) => {
      if (name === ANNEX) return directoryNode(directory, name, tables, parts);
      if (!/[=<>~!]/.test(name)) {
        const path = (await entries(signal)).get(name);
        if (path !== undefined) return linkNode(directory, name, `${up}${path}`, parts);
      }
      return termDirectory(directory, name, terms, parts);
    },
    names: async (_, signal) =>
      [...(await entries(signal)).keys()].map((name): AnnexName => ({ name, kind: 'link' })),
  };
}

function valuesDirectory(directory: AnnexDirectory, key: string, parts: QueryParts): AnnexNode | undefined {
  const subject = key.startsWith('.') ? undefined : readTerm(() => parseSubject(key));
  if (subject === undefined) return undefined;
  const { folder, queries } = parts;
  const terms: readonly Term[] = [{ subject, test: 'present' }];
  const scope: TableScope = { folder, files: (signal) => queries.files(folder, terms, signal) };
  const entries = async (signal: AbortSignal): Promise<readonly string[]> => {
    const { names: above } = folderPlace(folder);
    const values = (await scope.files(signal)).flatMap(({ file, names }) =>
      valuesOf({ file, path: names.slice(above.length).join('/') }, subject),
    );
    return [...new Set(values)].sort().flatMap((value) => entryName(value) ?? []);
  };
  return directoryNode(
    directory,
    key,
    {
      scope,
      room: undefined,
      child: async (at, name, signal) =>
        (await entries(signal)).includes(name)
          ? linkNode(at, name, `../../find/${key}=${name}`, parts)
          : undefined,
      names: async (_, signal) => (await entries(signal)).map((name): AnnexName => ({ name, kind: 'link' })),
    },
    parts,
  );
}

function readTerm<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof TermError) return undefined;
    throw error;
  }
}

/** The node that the kernel knows by the name, or a new one. */
function directoryNode(
  parent: AnnexDirectory,
  name: string,
  source: AnnexSource | (() => AnnexSource),
  { nodes, clock }: AnnexParts,
): AnnexNode {
  const known = parent.children.get(name);
  if (known?.kind === 'directory') return known;
  return nodes.add<AnnexDirectory>((id) => ({
    id,
    ino: inodeNumber(`${parent.ino}/${name}`),
    parent,
    name,
    lookups: 0,
    kind: 'directory',
    source: typeof source === 'function' ? source() : source,
    madeMs: clock.now(),
    children: new Map(),
    away: new Map(),
  }));
}

function linkNode(parent: AnnexDirectory, name: string, target: string, { nodes }: AnnexParts): AnnexNode {
  const known = parent.children.get(name);
  if (known?.kind === 'link' && known.target === target) return known;
  return nodes.add((id) => ({
    id,
    ino: inodeNumber(`${parent.ino}/${name}`),
    parent,
    name,
    lookups: 0,
    kind: 'link',
    target,
  }));
}

function digestOf(terms: readonly Term[]): string {
  return createHash('sha256').update(JSON.stringify(terms)).digest('hex').slice(0, 16);
}
