import type { CollectionKind, PlatformRecord, RecordKind, RecordsApi } from '../../src/api/api.ts';
import type { ProjectSummary } from '../../src/api/model.ts';
import { parseExactly } from '../../src/lib/exact-json.ts';
import { Catalog } from '../../src/vfs/directories/catalog.ts';
import { apiError } from './fake-api.ts';
import type { FakeClock } from './fake-clock.ts';

/** Records of a platform in memory, by their JSON texts, and what was asked. */
export class FakeRecords implements RecordsApi {
  readonly calls: string[] = [];
  /** By kind and id: `app lab/rna/bwa/0`. */
  readonly ones = new Map<string, string>();
  readonly apps: PlatformRecord[] = [];
  readonly groups: PlatformRecord[] = [];
  readonly invoices: PlatformRecord[] = [];
  readonly members: PlatformRecord[] = [];
  /** The failure that a kind of record is answered with. */
  readonly refused = new Map<RecordKind | CollectionKind, Error>();

  /** What was asked since the last time. */
  taken(): string[] {
    return this.calls.splice(0);
  }

  async get(kind: RecordKind, id: string): Promise<PlatformRecord> {
    this.calls.push(`${kind} ${id}`);
    const refused = this.refused.get(kind);
    if (refused) throw refused;
    const text = this.ones.get(`${kind} ${id}`);
    if (text === undefined) throw apiError(404, 6002, `no ${kind} ${id}`);
    return parseExactly(text) as PlatformRecord;
  }

  async list(
    kind: CollectionKind,
    query: Readonly<Record<string, string | undefined>>,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): ReturnType<RecordsApi['list']> {
    const { fields: _, ...shown } = query;
    this.calls.push([kind, ...Object.values(shown), offset, limit].join(' '));
    const refused = this.refused.get(kind);
    if (refused) throw refused;
    const all = {
      apps: this.apps,
      'billing groups': this.groups,
      invoices: this.invoices,
      members: this.members,
    };
    const items = kind === 'apps' ? all.apps.filter((app) => isAskedFor(app, query)) : all[kind];
    return { items: items.slice(offset, offset + limit), total: items.length };
  }

  /** Projects as the catalog of a mount tells them. */
  catalog(clock: FakeClock, ids: readonly string[]): Catalog<ProjectSummary> {
    const items = ids.map((id): ProjectSummary => {
      const [owner = '', shortName = ''] = id.split('/');
      return { id, owner, shortName, name: shortName };
    });
    const list = async (): Promise<{ items: ProjectSummary[]; total: number }> => {
      this.calls.push('projects');
      return { items, total: items.length };
    };
    const get = async (id: string): Promise<ProjectSummary> => {
      this.calls.push(`project ${id}`);
      throw apiError(404, 3002, 'no such project');
    };
    return new Catalog<ProjectSummary>({ list, get }, { clock, ttlMs: 60_000 });
  }
}

function isAskedFor(
  { id, visibility }: PlatformRecord,
  query: Readonly<Record<string, string | undefined>>,
): boolean {
  const text = String(id);
  return (
    visibility === query['visibility'] &&
    (query['project'] === undefined || text.startsWith(`${query['project']}/`)) &&
    (query['project_owner'] === undefined || text.startsWith(`${query['project_owner']}/`)) &&
    (query['id'] === undefined || text === query['id']) &&
    (query['q'] ?? '').split(' ').every((term) => text.includes(term))
  );
}
