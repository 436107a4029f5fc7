import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackgroundProcess } from './background-process.ts';
import { layDemo } from './lay-demo.ts';
import { Sandbox } from './sandbox.ts';

/** The counters of `svcfs serve --internal-stats`. */
export interface ServiceCounters {
  readonly apiRequests: number;
  readonly apiCalls: Readonly<Record<string, number>>;
  readonly storagePuts: number;
  readonly storagePutBytes: number;
  readonly storageGets: number;
  readonly storageGetBytes: number;
  readonly maxPartsInFlight: number;
}

/** The service with demo content and a mount of it, each in processes of its own. */
export class ServedMount {
  readonly sandbox: Sandbox;
  readonly data: string;
  #origin = '';
  #token = '';
  #service: BackgroundProcess | undefined;

  static async start(
    options: { readonly mountArgs?: readonly string[]; readonly serveArgs?: readonly string[] } = {},
  ): Promise<ServedMount> {
    const sandbox = await Sandbox.create();
    const data = join(sandbox.root, 'service');
    const served = new ServedMount(sandbox, data);
    await served.#startService(options.serveArgs);
    await served.mount(options.mountArgs);
    return served;
  }

  private constructor(sandbox: Sandbox, data: string) {
    this.sandbox = sandbox;
    this.data = data;
  }

  get endpoint(): string {
    return `${this.#origin}/v2`;
  }

  get token(): string {
    return this.#token;
  }

  /** The lines that the service has logged. */
  get serviceLog(): readonly string[] {
    return (this.#service?.stderr ?? '').split('\n');
  }

  /** A path in the mount. */
  path(...names: string[]): string {
    return this.sandbox.path(...names);
  }

  async #startService(args: readonly string[] = []): Promise<void> {
    await layDemo(this.data);
    const fixed = ['--demo', '--listen', '127.0.0.1:0', '--data', this.data, '--internal-stats'];
    const service = this.sandbox.start(['serve', ...fixed, '--rate-limit', 'off', ...args]);
    this.#service = service;
    const [, origin = ''] = await service.says(/listening on (http:\/\/[^/]+)\/v2/);
    this.#origin = origin;
    this.#token = (await readFile(join(this.data, 'demo-token'), 'utf8')).trim();
  }

  /** Throws with what svcfs said unless the mount is usable. */
  async mount(args: readonly string[] = []): Promise<void> {
    const { code, stderr } = await this.sandbox.svcfs(['mount', this.sandbox.mountPoint, ...args], {
      env: { SVC_API_ENDPOINT: this.endpoint, SVC_AUTH_TOKEN: this.#token },
    });
    if (code !== 0) throw new Error(`svcfs mount: exit ${code}: ${stderr}\n${await this.sandbox.describe()}`);
  }

  async unmount(): Promise<void> {
    const { code, stderr } = await this.sandbox.svcfs(['unmount', this.sandbox.mountPoint]);
    if (code !== 0) throw new Error(`svcfs unmount: exit ${code}: ${stderr}`);
  }

  async counters(): Promise<ServiceCounters> {
    return (await fetch(`${this.#origin}/internal/stats`)).json() as Promise<ServiceCounters>;
  }

  /** Counts the requests that `work` caused at the service. Nothing else may use the mount meanwhile. */
  async counting(
    work: () => Promise<unknown>,
  ): Promise<{ readonly apiRequests: number; readonly storageBytes: number }> {
    const before = await this.counters();
    await work();
    const after = await this.counters();
    const bytes = ({ storageGetBytes, storagePutBytes }: ServiceCounters) =>
      storageGetBytes + storagePutBytes;
    return {
      apiRequests: after.apiRequests - before.apiRequests,
      storageBytes: bytes(after) - bytes(before),
    };
  }

  /** As `counting`, by call (`POST /bulk/files/get`): a mount may refresh what it knows at any time. */
  async countingCalls(work: () => Promise<unknown>): Promise<Readonly<Record<string, number>>> {
    const { apiCalls: before } = await this.counters();
    await work();
    const { apiCalls: after } = await this.counters();
    return Object.fromEntries(
      Object.entries(after).map(([call, count]) => [call, count - (before[call] ?? 0)]),
    );
  }

  clean(): Promise<void> {
    return this.sandbox.clean();
  }
}
