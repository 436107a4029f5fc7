/**
 * Extended attributes: metadata pairs of files as `user.<key>`, everything else the platform or this mount tells of a
 * path as `user.svc.<field>`. Reading makes no request: the listing that showed the file brought them.
 */

import { basename } from 'node:path/posix';
import type { ProjectEdit } from '../../api/api.ts';
import type { Details } from '../directories/details.ts';
import type { Failure } from '../errors/error-registry.ts';
import { FsError } from '../errors/fs-error.ts';
import type { Awaitable, SetxattrMode } from '../file-system.ts';
import { isLink, type Node, type ProjectFolderNode, pathOf } from '../model/node.ts';
import type { Tree } from '../model/tree.ts';
import { requireWritable } from '../model/write-access.ts';
import { attributeList } from './attribute-list.ts';
import { type Fields, fieldsOf } from './fields.ts';
import { FileMetadata } from './file-metadata.ts';
import { decodeValue, type Pairs, requireKey, requireValue } from './limits.ts';
import { metadataPages, parseMetadata, parseSettings, parseTags } from './metadata-document.ts';
import { metadataPageName, parseXattrName, TAGS, type XattrName } from './names.ts';
import { viaOf } from './via.ts';

export class Xattrs {
  readonly #tree: Tree;
  readonly #details: Details;
  readonly #metadata: FileMetadata;

  constructor(tree: Tree, details: Details) {
    this.#tree = tree;
    this.#details = details;
    this.#metadata = new FileMetadata(tree);
  }

  get(node: Node, name: string, signal: AbortSignal): Awaitable<Uint8Array> {
    const parsed = parseXattrName(name);
    // Asked for by the kernel and by ls(1) for every file: no details are worth a request here.
    if (parsed.kind === 'foreign' || parsed.kind === 'pair') return this.#read(node, parsed, name);
    const ready = this.#prepare(node, signal);
    return ready === undefined
      ? this.#read(node, parsed, name)
      : ready.then(() => this.#read(node, parsed, name));
  }

  async set(
    node: Node,
    attribute: { readonly name: string; readonly value: Uint8Array },
    how: { readonly mode: SetxattrMode; readonly signal: AbortSignal },
  ): Promise<void> {
    const { name } = attribute;
    const parsed = parseXattrName(name);
    if (parsed.kind === 'foreign') throw foreign(name);
    requireSettable(node, parsed, name);
    await this.#prepare(node, how.signal);
    requireWritable(this.#tree, node);
    const there = this.#has(node, parsed);
    if (how.mode.create && there) throw new FsError('EEXIST', `${name} is set already`);
    if (how.mode.replace && !there) throw noSuchAttribute(name);
    await this.#write(node, parsed, decodeValue(attribute.value), how.signal);
  }

  async remove(node: Node, name: string, signal: AbortSignal): Promise<void> {
    const parsed = parseXattrName(name);
    if (parsed.kind === 'foreign') throw noSuchAttribute(name);
    requireSettable(node, parsed, name);
    const isPage = parsed.kind === 'metadata' && parsed.page !== undefined;
    if (node.kind !== 'project-file' || isPage) throw new FsError('EPERM', `${name} cannot be removed`);
    requireWritable(this.#tree, node);
    if (!this.#has(node, parsed)) throw noSuchAttribute(name);
    if (parsed.kind === 'pair') await this.#metadata.removePair(node, parsed.key, signal);
    else if (parsed.kind === 'tags') await this.#metadata.setTags(node, [], signal);
    else await this.#metadata.replaceAll(node, {}, signal);
  }

  #read(node: Node, parsed: XattrName, name: string): Uint8Array {
    // Not ENODATA: `ls -l` remembers of a whole device what is not supported there, and asks no more.
    if (parsed.kind === 'foreign') throw foreign(name);
    const value = this.#value(node, parsed);
    if (value === undefined) throw noSuchAttribute(name);
    return Buffer.from(value);
  }

  #has(node: Node, parsed: XattrName): boolean {
    // However long: only reading it whole may fail.
    const isDocument =
      node.kind === 'project-file' && parsed.kind === 'metadata' && parsed.page === undefined;
    return isDocument || this.#value(node, parsed) !== undefined;
  }

  /** Undefined when the node has no such attribute. */
  #value(node: Node, parsed: XattrName): string | undefined {
    if (node.kind === 'project-file') {
      switch (parsed.kind) {
        case 'pair':
          return ownValue(this.#metadata.pairs(node), parsed.key);
        case 'tags':
          return JSON.stringify(this.#metadata.tags(node));
        case 'metadata':
          return metadataValue(this.#metadata.pairs(node), parsed.page);
        default:
      }
    }
    const field = fieldNamed(parsed);
    return field === undefined
      ? undefined
      : ownValue({ ...fieldsOf(node), ...notesOf(node, this.#tree) }, field);
  }

  /**
   * The attributes that a copy should carry: pairs and tags. Fields are read by name only. Programs that copy
   * attributes would try to set the listed ones on the copy and fail, or make one project's name that of another.
   */
  list(node: Node): readonly string[] {
    // Linux reads no `user.*` of a symbolic link: a program that copies one would fail.
    if (node.kind !== 'project-file' || isLink(node)) return [];
    const pairs = this.#metadata.pairs(node);
    const tags = this.#metadata.tags(node).length > 0 ? [TAGS] : [];
    const { names, left } = attributeList(tags, pairs);
    if (left > 0) {
      this.#tree.log.warn(
        { op: 'listxattr', path: pathOf(node), left },
        'more attributes than a list may hold',
      );
    }
    return names;
  }

  async #write(node: Node, parsed: XattrName, value: string, signal: AbortSignal): Promise<void> {
    if (node.kind === 'project-folder') return this.#editProject(node, fieldNamed(parsed) ?? '', value);
    if (node.kind !== 'project-file') return;
    switch (parsed.kind) {
      case 'pair': {
        const { key } = parsed;
        requireKey(key);
        requireValue(key, value);
        return this.#metadata.merge(node, { [key]: value }, signal);
      }
      case 'tags':
        return this.#metadata.setTags(node, parseTags(value), signal);
      case 'metadata': {
        const pairs = parseMetadata(value);
        const { page } = parsed;
        if (page === undefined) return this.#metadata.replaceAll(node, pairs, signal);
        return this.#metadata.merge(node, pairs, signal);
      }
      default:
    }
  }

  /** The platform may make other settings of those that it is given: they are asked for at the next look. */
  async #editProject({ project }: ProjectFolderNode, field: string, value: string): Promise<void> {
    const changed = projectChange(field, value);
    await this.#tree.api.projects.edit(project.id, changed);
    if (field === 'settings' || field === 'tags') this.#details.forget(project);
    else if (project.record) project.record = { ...project.record, [field]: value };
  }

  /** Details that the directory of a project or volume shows; undefined: nothing to wait for. */
  #prepare(node: Node, signal: AbortSignal): Promise<unknown> | undefined {
    if (node.kind === 'project-folder' && !node.record)
      return this.#details.freshProject(node.project, signal);
    if (node.kind === 'volume-directory' && node.prefix === '')
      return this.#details.freshVolume(node.volume, signal);
    return undefined;
  }
}

/** Fields of a project that may be edited. */
const EDITABLE: ReadonlySet<string> = new Set(['name', 'description', 'tags', 'settings']);

function projectChange(field: string, value: string): ProjectEdit {
  if (field === 'tags') return { tags: parseTags(value) };
  return field === 'settings' ? { settings: parseSettings(value) } : { [field]: value };
}

function requireSettable(node: Node, parsed: XattrName, name: string): void {
  const isOfProject = node.kind === 'project-folder' && !node.record;
  if (isOfProject && EDITABLE.has(fieldNamed(parsed) ?? '')) return;
  if (parsed.kind === 'field') throw new FsError('EPERM', `${name} is read-only`);
  if (node.kind !== 'project-file') throw unsupported(name);
}

/** The field that a name which is a file's own kind of attribute means on other nodes. */
function fieldNamed(parsed: XattrName): string | undefined {
  switch (parsed.kind) {
    case 'field':
      return parsed.field;
    case 'tags':
      return 'tags';
    case 'metadata':
      return parsed.page === undefined ? 'metadata' : undefined;
    default:
      return undefined;
  }
}

function metadataValue(pairs: Pairs, page: number | undefined): string | undefined {
  const pages = metadataPages(pairs);
  if (page !== undefined) return pages[page];
  if (pages.length > 1) {
    throw new FsError(
      'E2BIG',
      `the metadata fills ${pages.length} attributes: read ${metadataPageName(0)} and so on`,
    );
  }
  return pages[0];
}

function ownValue(values: Readonly<Record<string, string | undefined>>, key: string): string | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

function foreign(name: string): FsError {
  return new FsError('EOPNOTSUPP', `${name}: only user.<key> is kept here`);
}

function unsupported(name: string): FsError {
  return new FsError('EOPNOTSUPP', `${name} cannot be set here: the platform keeps metadata of files only`);
}

function noSuchAttribute(name: string): FsError {
  return new FsError('ENODATA', `there is no attribute ${name}`);
}

/** The notes of this mount about a path: its last error or that of a name in it, its job, its upload, the way of its bytes. */
function notesOf(node: Node, tree: Pick<Tree, 'api' | 'errors' | 'jobs' | 'writer'>): Fields {
  const path = pathOf(node);
  const job = tree.jobs.ofPath(path);
  const upload = tree.writer.uploads().find(({ label }) => label === path);
  return {
    error: errorText(tree.errors.lastAt(path), path),
    job: job && JSON.stringify(job),
    upload: upload && JSON.stringify(upload),
    via: viaOf(node, tree.api),
  };
}

function errorText(failure: Failure | undefined, path: string): string | undefined {
  if (failure === undefined || failure.path === path) return failure?.text;
  return `${basename(failure.path)}: ${failure.text}`;
}
