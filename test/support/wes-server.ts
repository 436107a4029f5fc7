/**
 * A small workflow execution service, for tests: GA4GH WES 1.1 over HTTP, with cwltool underneath. It keeps each run in a
 * directory, and serves its outputs and its log.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { dirSync } from 'tmp';

const BASE = '/ga4gh/wes/v1';

interface Run {
  readonly id: string;
  readonly directory: string;
  readonly request: Readonly<Record<string, unknown>>;
  readonly start: Date;
  child: ChildProcess;
  state: string;
  end?: Date;
  exitCode?: number;
}

export class WesServer {
  readonly #server: Server;
  readonly #directory = dirSync({ prefix: 'svcfs-wes', unsafeCleanup: true });
  readonly #token: string;
  readonly runs = new Map<string, Run>();
  /** Answers to give, in place of those to come. */
  readonly faults: number[] = [];
  /** The same, for files that runs have made; or an answer that breaks off. */
  readonly outputFaults: (number | 'broken off')[] = [];
  /** The outputs that runs report, in place of those they made. */
  outputs: unknown;

  static async start(token: string): Promise<WesServer> {
    const wes = new WesServer(token);
    wes.#server.listen(0, '127.0.0.1');
    await once(wes.#server, 'listening');
    return wes;
  }

  private constructor(token: string) {
    this.#token = token;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error) => refuse(response, 500, String(error)));
    });
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `${this.origin}${BASE}`;
  }

  async stop(): Promise<void> {
    for (const run of this.runs.values()) this.#kill(run);
    this.#server.close();
    this.#server.closeAllConnections();
    this.#directory.removeCallback();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const refused = this.faults.shift();
    if (refused !== undefined) return refuse(response, refused, 'not now');
    if (request.headers.authorization !== `Bearer ${this.#token}`) return refuse(response, 401, 'no token');
    const { pathname } = new URL(request.url ?? '', this.origin);
    const [, path = ''] = pathname.split(BASE);
    const [, resource, id, action, ...rest] = path.split('/').map(decodeURIComponent);
    if (resource !== 'runs') return refuse(response, 404, 'no such resource');
    if (request.method === 'POST' && id === undefined) return send(response, await this.#submit(request));
    const run = this.runs.get(id ?? '');
    if (run === undefined) return refuse(response, 404, 'no such run');
    if (action === undefined) return send(response, await this.#log(run));
    if (action === 'status') return send(response, { run_id: run.id, state: run.state });
    if (action === 'cancel' && request.method === 'POST') {
      run.state = 'CANCELING';
      this.#kill(run);
      return send(response, { run_id: run.id });
    }
    if (action !== 'data') return refuse(response, 404, 'no such call');
    const fault = rest[0] === 'out' ? this.outputFaults.shift() : undefined;
    if (typeof fault === 'number') return refuse(response, fault, 'not now');
    if (fault === 'broken off') {
      response.writeHead(200, { 'Content-Length': 1000 }).write('broken', () => response.destroy());
      return;
    }
    createReadStream(join(run.directory, ...rest)).pipe(response);
  }

  async #submit(request: IncomingMessage): Promise<object> {
    const headers = { 'Content-Type': request.headers['content-type'] ?? '' };
    const form = await new Response(Readable.toWeb(request) as ReadableStream, { headers }).formData();
    const id = `run-${this.runs.size + 1}`;
    const directory = join(this.#directory.name, id);
    await mkdir(join(directory, 'out'), { recursive: true });
    const attachment = form.get('workflow_attachment') as File;
    await writeFile(join(directory, attachment.name), Buffer.from(await attachment.arrayBuffer()));
    await writeFile(join(directory, 'params.json'), form.get('workflow_params') as string);
    const args = [
      '--no-container',
      '--relax-path-checks',
      '--outdir',
      'out',
      form.get('workflow_url') as string,
      'params.json',
    ];
    const child = spawn('cwltool', args, {
      cwd: directory,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.pipe(createWriteStream(join(directory, 'outputs.json')));
    child.stderr.pipe(createWriteStream(join(directory, 'stderr')));
    const tags = JSON.parse(form.get('tags') as string);
    const fields = { workflow_type: form.get('workflow_type'), workflow_url: form.get('workflow_url'), tags };
    const run: Run = { id, directory, request: fields, start: new Date(), child, state: 'RUNNING' };
    this.runs.set(id, run);
    child.once('close', (code) => this.#ended(run, code));
    return { run_id: id };
  }

  #ended(run: Run, code: number | null): void {
    run.end = new Date();
    run.exitCode = code ?? -1;
    if (run.state === 'CANCELING') run.state = 'CANCELED';
    else run.state = code === 0 ? 'COMPLETE' : 'EXECUTOR_ERROR';
  }

  async #log(run: Run): Promise<object> {
    const outputs = JSON.parse((await readFile(join(run.directory, 'outputs.json'), 'utf8')) || '{}');
    return {
      run_id: run.id,
      request: run.request,
      state: run.state,
      run_log: {
        name: 'app',
        start_time: run.start.toISOString(),
        end_time: run.end?.toISOString(),
        stderr: `${this.url}/runs/${run.id}/data/stderr`,
        exit_code: run.exitCode,
      },
      task_logs: [],
      outputs: this.outputs ?? this.#addressed(run, outputs),
    };
  }

  /** The value with addresses in place of paths. */
  #addressed(run: Run, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#addressed(run, each));
    if (typeof value !== 'object' || value === null) return value;
    const { path: _path, ...object } = value as Record<string, unknown>;
    const inner = Object.entries(object).map(([key, each]) => [key, this.#addressed(run, each)]);
    const { location } = object;
    if (typeof location !== 'string' || !location.startsWith('file:')) return Object.fromEntries(inner);
    const below = fileURLToPath(location).slice(run.directory.length);
    const address = `${this.url}/runs/${run.id}/data${below.split('/').map(encodeURIComponent).join('/')}`;
    return { ...Object.fromEntries(inner), location: address };
  }

  #kill({ child }: Run): void {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
      process.kill(-child.pid, 'SIGKILL');
  }
}

function send(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}

function refuse(response: ServerResponse, status: number, msg: string): void {
  response
    .writeHead(status, { 'Content-Type': 'application/json' })
    .end(JSON.stringify({ msg, status_code: status }));
}
