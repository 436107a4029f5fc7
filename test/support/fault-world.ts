import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { mountedOn } from '../../src/fuse/mount-table.ts';
import { addMember } from '../../src/service/members/project-members.ts';
import { Operator } from '../../src/service/operator/operator.ts';
import { createProject } from '../../src/service/projects/create-project.ts';
import type { Services } from '../../src/service/services.ts';
import { openServices } from '../../src/service/start-service.ts';
import { uploadInline } from '../../src/service/uploads/upload-inline.ts';
import { createVolume } from '../../src/service/volumes/create-volume.ts';
import type { BackgroundProcess } from './background-process.ts';
import { FaultProxy } from './fault-proxy.ts';
import { type RunOptions, type RunResult, run } from './run.ts';
import { Sandbox } from './sandbox.ts';
import { waitUntil } from './wait-until.ts';

/** The mount has her token. She owns everything except the project `bob/shared` with one `file`, which she may read. */
const USER = 'ann';
const PROJECTS = { own: 'ann/study', readOnly: 'bob/shared' } as const;
const SILENT = { error() {}, warn() {}, info() {}, debug() {} };

export interface FaultWorldOptions {
  readonly mountArgs?: readonly string[];
  readonly serveArgs?: readonly string[];
  /** Where the service keeps its data. Default: in the sandbox. */
  readonly data?: string;
  /** Where the mount keeps spools, journal and log. Default: in the sandbox. */
  readonly state?: string;
  /** The user who mounts. Default: the user of this process. */
  readonly uid?: number;
}

/**
 * A small platform (two projects, the volumes `results` and, read-only, `reference`) and a mount of it, with faults
 * between them. Every request of the mount passes a `FaultProxy`, and each process can be killed.
 *
 * The proxy answers from this process, and `spawn` waits until its child has changed its directory: no program may be
 * started with a `cwd` in the mount.
 */
export class FaultWorld {
  readonly sandbox: Sandbox;
  readonly #options: FaultWorldOptions;
  readonly #data: string;
  readonly #state: string;
  #service: BackgroundProcess | undefined;
  #origin = '';
  #proxy: FaultProxy | undefined;
  #token = '';

  static async start(options: FaultWorldOptions = {}): Promise<FaultWorld> {
    const world = new FaultWorld(await Sandbox.create(options), options);
    try {
      await world.operate(addPlatform);
      world.#token = await world.operate((operator) => operator.issueToken(USER));
      await world.startService();
      world.#proxy = await FaultProxy.start(world.#origin);
      await world.mount();
    } catch (error) {
      await world.clean();
      throw error;
    }
    return world;
  }

  private constructor(sandbox: Sandbox, options: FaultWorldOptions) {
    this.sandbox = sandbox;
    this.#options = options;
    this.#data = options.data ?? join(sandbox.root, 'service');
    this.#state = options.state ?? join(sandbox.root, 'state');
  }

  /** Between mount and service, for API and storage. */
  get proxy(): FaultProxy {
    if (this.#proxy === undefined) throw new Error('not started');
    return this.#proxy;
  }

  /** Of the service itself, past the proxy. */
  get origin(): string {
    return this.#origin;
  }

  /** As the mount is told it. */
  get endpoint(): string {
    return `${this.proxy.origin}/v2`;
  }

  /** The mount's. */
  get token(): string {
    return this.#token;
  }

  /** A path in the project that the user owns. */
  own(...names: string[]): string {
    return this.sandbox.path('projects', PROJECTS.own, ...names);
  }

  /** A path in the project that the user may only read. */
  readOnly(...names: string[]): string {
    return this.sandbox.path('projects', PROJECTS.readOnly, ...names);
  }

  volume(name: 'results' | 'reference', ...names: string[]): string {
    return this.sandbox.path('volumes', USER, name, ...names);
  }

  /** A new path outside the mount. */
  outside(name: string): string {
    return join(this.sandbox.root, name);
  }

  /** Acts as the operator of the service, whether it runs or not. */
  async operate<T>(work: (operator: Operator, services: Services) => Promise<T>): Promise<T> {
    const services = await openServices({ dataDir: this.#data, rateLimit: 'off', logger: SILENT });
    try {
      return await work(new Operator(services), services);
    } finally {
      await services.store.close();
    }
  }

  /** Starts the service, on the port it had before. */
  async startService(): Promise<void> {
    const port = this.#origin === '' ? '0' : new URL(this.#origin).port;
    const args = ['--listen', `127.0.0.1:${port}`, '--data', this.#data, '--rate-limit', 'off'];
    this.#service = this.sandbox.start(['serve', ...args, ...(this.#options.serveArgs ?? [])]);
    const [, origin = ''] = await this.#service.says(/listening on (http:\/\/[^/]+)\/v2/);
    this.#origin = origin;
  }

  async stopService(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    if (signal === 'SIGKILL') this.#service?.signal(signal);
    await this.#service?.end();
  }

  async mount(
    args: readonly string[] = this.#options.mountArgs ?? [],
    env: RunOptions['env'] = {},
  ): Promise<RunResult> {
    const mounted = await this.sandbox.svcfs(['mount', this.sandbox.mountPoint, ...args], {
      env: {
        SVC_API_ENDPOINT: this.endpoint,
        SVC_AUTH_TOKEN: this.#token,
        XDG_STATE_HOME: this.#state,
        ...env,
      },
    });
    const { code, stderr } = mounted;
    if (code !== 0) throw new Error(`svcfs mount: exit ${code}: ${stderr}\n${await this.sandbox.describe()}`);
    return mounted;
  }

  unmount(args: readonly string[] = []): Promise<RunResult> {
    const env = { XDG_STATE_HOME: this.#state };
    return this.sandbox.svcfs(['unmount', this.sandbox.mountPoint, ...args], { env });
  }

  async remount(args?: readonly string[]): Promise<void> {
    const { code, stderr } = await this.unmount();
    if (code !== 0) throw new Error(`svcfs unmount: exit ${code}: ${stderr}`);
    await this.mount(args);
  }

  async remountWithNewToken(token: { readonly expiresMs?: number } = {}): Promise<void> {
    this.#token = await this.operate((operator) => operator.issueToken(USER, token));
    await this.remount();
  }

  /** kill -9 of the process that serves the mount; returns when its watchdog has taken the mount away. */
  async killMount(): Promise<void> {
    const isDaemon = ({ command }: { readonly command: string }): boolean => / \S*daemon\.js/.test(command);
    const daemon = (await this.sandbox.processes()).find(isDaemon);
    if (daemon === undefined) throw new Error(await this.sandbox.describe());
    process.kill(daemon.pid, 'SIGKILL');
    await waitUntil(async () => (await mountedOn(this.sandbox.mountPoint)) === undefined);
  }

  /** Calls the API as the user, past the mount and the proxy. */
  async api<T>(path: string): Promise<T> {
    const headers = { 'X-SVC-Auth-Token': await this.newToken(), 'X-SVC-Advance-Access': 'advance' };
    const response = await fetch(`${this.#origin}/v2${path}`, { headers });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  /** Half-done work: uploads at the service that nobody completed, spool files of the mount. */
  async leftovers(): Promise<readonly string[]> {
    const { items } = await this.api<{ items: readonly { name: string }[] }>('/upload/multipart');
    const state = await readdir(this.#state, { recursive: true });
    return [...items.map(({ name }) => `upload ${name}`), ...state.filter((name) => name.endsWith('.spool'))];
  }

  /**
   * The same without uploads that have no parts, which are the service's to sweep: the answer to the beginning of one was lost, and
   * the mount has begun another. `isExpected` is asked about the others.
   */
  async halfDone(isExpected: (uploadId: string) => boolean = () => false): Promise<readonly string[]> {
    const { items } = await this.api<{ items: readonly { upload_id: string; name: string }[] }>(
      '/upload/multipart',
    );
    const spools = (await readdir(this.#state, { recursive: true })).filter((name) =>
      name.endsWith('.spool'),
    );
    const uploads: string[] = [];
    for (const { upload_id, name } of items) {
      const path = `/upload/multipart/${upload_id}?list_parts=true`;
      const { parts } = await this.api<{ parts: readonly unknown[] }>(path);
      if (parts.length > 0 && !isExpected(upload_id)) uploads.push(`upload ${name}: ${parts.length} parts`);
    }
    return [...spools, ...uploads];
  }

  /** Names at the top of the user's project, as the service has them. */
  async files(): Promise<readonly string[]> {
    const { items } = await this.api<{ items: readonly { name: string }[] }>(
      `/files?project=${PROJECTS.own}`,
    );
    return items.map(({ name }) => name).sort();
  }

  /** The bytes of a file at the top of the user's project, as the service has them. */
  async content(name: string): Promise<Buffer> {
    const query = `project=${PROJECTS.own}&name=${encodeURIComponent(name)}`;
    const { items } = await this.api<{ items: readonly { id: string }[] }>(`/files?${query}`);
    const { url } = await this.api<{ url: string }>(`/files/${items[0]?.id}/download_info`);
    return Buffer.from(await (await fetch(url)).arrayBuffer());
  }

  async clean(): Promise<void> {
    await this.#proxy?.close();
    await this.sandbox.clean();
  }

  /** Another one of the user, good whatever became of the mount's. */
  newToken(): Promise<string> {
    return this.operate((operator) => operator.issueToken(USER));
  }
}

/** `LC_ALL=C`, so that the text of an errno can be told. */
export function attempt(
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<RunResult> {
  return run(command, args, { ...options, env: { ...options.env, LC_ALL: 'C' } });
}

/** The `user.svc.error` of a path. */
export async function errorOf(path: string): Promise<string> {
  const { stdout } = await run('getfattr', ['--only-values', '-n', 'user.svc.error', path]);
  return stdout;
}

async function addPlatform(operator: Operator, services: Services): Promise<void> {
  const ann = await operator.createUser(USER);
  const bob = await operator.createUser('bob');
  await operator.createBillingGroup('ann', 'Funds of Ann');
  await operator.createBillingGroup('bob', 'Funds of Bob');
  await createProject(services, ann, { name: 'study' });
  const { id: projectId, root_folder: parent } = await createProject(services, bob, { name: 'shared' });
  const file = { parent, name: 'file', overwrite: false, metadata: {}, tags: [] };
  await uploadInline(services, bob, { ...file, bytes: Readable.from([Buffer.from('shared\n')]) });
  const body = { username: USER, permissions: { write: false, copy: true } };
  await addMember(services, bob, { projectId, body });
  for (const [name, access_mode] of [
    ['results', 'RW'],
    ['reference', 'RO'],
  ] as const) {
    const credentials = { access_key_id: 'key', secret_access_key: 'secret' };
    await createVolume(services, ann, {
      name,
      access_mode,
      service: { type: 's3', bucket: name, credentials },
    });
  }
}
