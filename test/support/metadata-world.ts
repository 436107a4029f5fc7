import { type ApiClient, createApi } from '../../src/api/create-api.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { applyPlans } from '../../src/metadata/apply/apply-plans.ts';
import { exportTable } from '../../src/metadata/apply/export-table.ts';
import { printTable } from '../../src/metadata/format/print-table.ts';
import { readTable } from '../../src/metadata/format/read-table.ts';
import type { MetadataApi } from '../../src/metadata/metadata-api.ts';
import { type Planning, planTable } from '../../src/metadata/plan/plan-table.ts';
import { filesAt } from '../../src/places/list-files.ts';
import { Places } from '../../src/places/places.ts';
import { newFile } from '../../src/service/files/new-file.ts';
import { filesIn } from '../../src/service/files/tables/file-table.ts';
import { TestService, type TestUser } from '../service/test-service.ts';
import { DIALECT } from './dialect.ts';

const BEGIN = '2026-01-01T00:00:00.000Z';

/** A service with one project, and the tables of its files. Files without content are put straight into the database. */
export class MetadataWorld {
  readonly service: TestService;
  readonly alice: TestUser;
  readonly api: ApiClient;
  readonly project: string;
  readonly root: string;
  readonly signal = new AbortController().signal;

  static async start(): Promise<MetadataWorld> {
    const service = await TestService.start();
    const alice = await service.user('alice');
    await service.operator.createBillingGroup('alice', 'Lab funds');
    const { id, root_folder: root } = await alice.project('Study');
    return new MetadataWorld(service, alice, { id, root });
  }

  private constructor(service: TestService, alice: TestUser, project: { id: string; root: string }) {
    this.service = service;
    this.alice = alice;
    this.api = this.client(alice);
    this.project = project.id;
    this.root = project.root;
  }

  client(user: TestUser): ApiClient {
    return createApi({ endpoint: user.url, token: user.token, clock: systemClock, dialect: DIALECT });
  }

  async stop(): Promise<void> {
    await this.api.close();
    await this.service.stop();
  }

  /** Files `f00000` and so on in a folder. */
  async fill(
    parent: string,
    count: number,
    given: {
      readonly metadata?: (index: number) => Record<string, string>;
      readonly createdBy?: string;
    } = {},
  ): Promise<void> {
    const { store } = this.service.services;
    const project = await filesIn(store).find(this.root);
    await store.transaction(async (tx) => {
      for (let index = 0; index < count; index++) {
        const name = `f${String(index).padStart(5, '0')}`;
        const id = `${parent.slice(0, 12)}${index.toString(16).padStart(12, '0')}`;
        const row = { id, name, project_id: project?.project_id ?? '', parent_id: parent };
        await filesIn(tx).insert(
          newFile({ ...row, created_by: given.createdBy ?? 'alice', created_on: BEGIN }),
        );
        await filesIn(tx).mergeMetadata(id, given.metadata?.(index) ?? {});
      }
    });
  }

  /** A folder at the top of the project, with files. */
  async folder(name: string, count: number, given?: Parameters<MetadataWorld['fill']>[2]): Promise<string> {
    const { id } = await this.alice.folder(this.root, name);
    await this.fill(id, count, given);
    return id;
  }

  async export(
    names: readonly string[],
    format: 'tsv' | 'csv' | 'jsonl' = 'tsv',
    recursive = false,
  ): Promise<string> {
    const asking = { api: this.api, signal: this.signal };
    const place = await new Places(asking).at({ project: this.project, names });
    return [...printTable(exportTable(await filesAt(place, { ...asking, recursive })), format)].join('');
  }

  plan(
    text: string,
    how: Partial<Planning> & { readonly blank?: 'keep' | 'erase'; readonly api?: MetadataApi } = {},
  ) {
    const table = readTable(Buffer.from(text), { format: 'tsv', blank: how.blank ?? 'keep' });
    const defaults = { base: undefined, followPath: false, force: false, accept: false };
    return planTable(table, { api: this.api, signal: this.signal, ...defaults, ...how });
  }

  /** The outcome of each row. */
  async import(text: string, how: Parameters<MetadataWorld['plan']>[1] = {}): Promise<readonly string[]> {
    const { plans } = await this.plan(text, how);
    const { results } = await applyPlans(plans, { api: how.api ?? this.api, signal: this.signal });
    return results.map(({ outcome }) => outcome);
  }

  /** How often each call was made meanwhile. */
  async counting(work: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> {
    const before = this.api.status().calls;
    await work();
    const after = this.api.status().calls;
    const counts = Object.entries(after).map(([call, count]) => [call, count - (before[call] ?? 0)] as const);
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }
}

/** Changes the lines of a table as awk does: cells by the name of their column. */
export function editTsv(text: string, edit: (row: Record<string, string>) => Record<string, string>): string {
  const [header = [], ...rows] = text
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  const objects = rows.map((cells) =>
    edit(Object.fromEntries(header.map((name, index) => [name, cells[index] ?? '']))),
  );
  const columns = [...new Set([...header, ...objects.flatMap((row) => Object.keys(row))])].filter((name) =>
    objects.some((row) => name in row),
  );
  return `${[columns, ...objects.map((row) => columns.map((name) => row[name] ?? ''))].map((cells) => cells.join('\t')).join('\n')}\n`;
}
