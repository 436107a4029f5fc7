/** The calls on apps, on tasks, and on what they cost. */
import type { CallOptions, ListOptions, PageRequest } from './call-options.ts';
import type {
  AppRecord,
  AppSummary,
  BillingBreakdown,
  BillingGroup,
  BulkResult,
  ExecutedTool,
  Page,
  TaskRecord,
} from './model.ts';

/** Which apps: filters add up. */
export interface AppSearch {
  /** `owner/short-name` */
  readonly project?: string | undefined;
  readonly projectOwner?: string | undefined;
  /** Default: the apps of the projects that the user sees. */
  readonly visibility?: 'public' | undefined;
  /** Terms with spaces between them, all of which match. */
  readonly terms?: string | undefined;
}

export interface AppsApi {
  list(search: AppSearch, page: PageRequest, options?: CallOptions): Promise<Page<AppSummary>>;
  /**
   * Makes revision 0 of an app, or the revision that follows the newest. Answers the id with the revision. `ApiError` 6003
   * when there is such a revision already.
   */
  install(
    id: string,
    next: { readonly revision: number; readonly raw: Readonly<Record<string, unknown>> },
    options?: CallOptions,
  ): Promise<string>;
  /**
   * `id`: with a revision, up to that one. `name`: of the copy. When an answer is lost, an app of that name in the project is
   * taken for the copy: look first whether there is one.
   */
  copy(
    id: string,
    to: {
      readonly project: string;
      readonly name?: string | undefined;
      readonly strategy?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<AppRecord>;
  /** `owner/project/app`: the newest revision; or with a revision. */
  get(id: string, options?: CallOptions): Promise<AppRecord>;
}

/** Amounts are exact texts. */
export interface BillingApi {
  groups(page: PageRequest, options?: CallOptions): Promise<Page<BillingGroup>>;
  /** `ApiError` 4001 to 4005 when the user sees no such group. */
  group(id: string, options?: CallOptions): Promise<BillingGroup>;
  breakdown(id: string, options?: CallOptions): Promise<BillingBreakdown>;
}

/** Which tasks: filters add up. The newest come first. */
export interface TaskSearch {
  /** `owner/short-name` */
  readonly project?: string | undefined;
  readonly status?: string | undefined;
  /** No older ones. */
  readonly createdFromMs?: number | undefined;
}

export interface NewTask {
  readonly project: string;
  /** With its revision, or without: the newest. */
  readonly app: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** Each change takes effect once, also when an answer is lost: it is looked for before it is sent again. */
export interface TasksApi {
  list(search: TaskSearch, page: PageRequest, options?: ListOptions): Promise<Page<TaskRecord>>;
  get(id: string, options?: CallOptions): Promise<TaskRecord>;
  /** At most 100 ids; answers in their order. */
  bulkGet(ids: readonly string[], options?: CallOptions): Promise<readonly BulkResult<TaskRecord>[]>;
  /** A draft. A `TransportError` when its answer is lost and several drafts like it were made meanwhile. */
  create(task: NewTask, options?: CallOptions): Promise<TaskRecord>;
  run(id: string, options?: CallOptions): Promise<TaskRecord>;
  abort(id: string, options?: CallOptions): Promise<TaskRecord>;
  /** In the order in which they began. */
  executedTools(id: string, options?: CallOptions): Promise<readonly ExecutedTool[]>;
}
