/**
 * The calls of a workflow execution service: GA4GH WES 1.0 and 1.1,
 * https://ga4gh.github.io/workflow-execution-service-schemas/docs/
 */
import type { AppDocument } from '../../../contract/app.ts';

const CALL_MS = 60_000;

export type WesState =
  | 'UNKNOWN'
  | 'QUEUED'
  | 'INITIALIZING'
  | 'RUNNING'
  | 'PAUSED'
  | 'COMPLETE'
  | 'EXECUTOR_ERROR'
  | 'SYSTEM_ERROR'
  | 'CANCELED'
  | 'CANCELING'
  | 'PREEMPTED';

/** The log of one tool, or of the whole run. Times are ISO 8601, logs addresses or the text itself. */
export interface WesLog {
  readonly name?: string;
  readonly cmd?: readonly string[];
  readonly start_time?: string;
  readonly end_time?: string;
  readonly stderr?: string;
  readonly exit_code?: number;
}

export interface WesRunLog {
  readonly state?: WesState;
  readonly run_log?: WesLog | null;
  readonly task_logs?: readonly WesLog[] | null;
  /** Of CWL: the output object. */
  readonly outputs?: unknown;
}

export interface WesSubmission {
  readonly document: AppDocument;
  readonly parameters: unknown;
  readonly tags: Readonly<Record<string, string>>;
}

/** The service said no; below 500 it would say so again. */
export class WesRefusal extends Error {
  override readonly name = 'WesRefusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface WesClientOptions {
  /** With `/ga4gh/wes/v1`, without a slash at its end. */
  readonly url: string;
  readonly token?: string | undefined;
}

const WORKFLOW_FILE = 'app.cwl';

export class WesClient {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ url, token }: WesClientOptions) {
    this.#url = url;
    this.#headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  }

  /** @returns The id of the run. */
  async submit({ document, parameters, tags }: WesSubmission, signal: AbortSignal): Promise<string> {
    const form = new FormData();
    form.set('workflow_type', 'CWL');
    form.set('workflow_type_version', String(document['cwlVersion']));
    form.set('workflow_url', WORKFLOW_FILE);
    form.set('workflow_params', JSON.stringify(parameters));
    form.set('tags', JSON.stringify(tags));
    form.set('workflow_attachment', new Blob([JSON.stringify(document)]), WORKFLOW_FILE);
    const { run_id } = (await this.#call('POST', '/runs', { body: form, signal })) as { run_id?: unknown };
    if (typeof run_id !== 'string' || run_id === '') throw new WesRefusal(502, 'The answer names no run.');
    return run_id;
  }

  async state(runId: string, signal: AbortSignal): Promise<WesState> {
    const path = `/runs/${encodeURIComponent(runId)}/status`;
    return ((await this.#call('GET', path, { signal })) as { state?: WesState }).state ?? 'UNKNOWN';
  }

  async runLog(runId: string, signal: AbortSignal): Promise<WesRunLog> {
    return (await this.#call('GET', `/runs/${encodeURIComponent(runId)}`, { signal })) as WesRunLog;
  }

  async cancel(runId: string): Promise<void> {
    await this.#call('POST', `/runs/${encodeURIComponent(runId)}/cancel`, {});
  }

  /**
   * Opens a file of a run. It follows only addresses of the service itself, relative ones among them, and only those of
   * this run. The author of an app can make an output lead anywhere, and this process reaches more than an author does.
   * Undefined for other addresses.
   */
  async open(runId: string, location: string): Promise<Response | undefined> {
    const base = `${this.#url}/runs/${encodeURIComponent(runId)}/`;
    if (!URL.canParse(location, base)) return undefined;
    const url = new URL(location, base);
    if (url.origin !== new URL(this.#url).origin || !this.#mayLieAt(url, runId)) return undefined;
    const answer = await fetch(url, { headers: this.#headers });
    if (answer.ok) return answer;
    throw new WesRefusal(answer.status, await reasonOf(answer));
  }

  /** Not where the other runs are, however that is written: their inputs and outputs are somebody else's. */
  #mayLieAt(url: URL, runId: string): boolean {
    const path = plainPath(url);
    const runs = plainPath(new URL(`${this.#url}/runs/`));
    if (path === undefined || runs === undefined || /\/\.\.?\//.test(path)) return false;
    return !path.startsWith(runs) || path.startsWith(`${runs}${runId}/`);
  }

  async #call(
    method: string,
    path: string,
    { body, signal }: { readonly body?: FormData; readonly signal?: AbortSignal },
  ): Promise<unknown> {
    const timeout = AbortSignal.timeout(CALL_MS);
    const answer = await fetch(`${this.#url}${path}`, {
      method,
      headers: this.#headers,
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      ...(body === undefined ? {} : { body }),
    });
    if (!answer.ok) throw new WesRefusal(answer.status, await reasonOf(answer));
    return answer.json();
  }
}

/** Decoded, each slash once, and one at its end; undefined when it cannot be decoded. */
function plainPath({ pathname }: URL): string | undefined {
  try {
    return `${decodeURIComponent(pathname)}/`.replaceAll(/\/{2,}/g, '/');
  } catch {
    return undefined;
  }
}

/** `{"msg", "status_code"}`, as the API has it. */
async function reasonOf(answer: Response): Promise<string> {
  const text = await answer.text().catch(() => '');
  try {
    const { msg } = JSON.parse(text) as { msg?: unknown };
    if (typeof msg === 'string') return msg;
  } catch {
    // A proxy in between may answer in its own words, which are not for users.
  }
  return `status ${answer.status}`;
}
