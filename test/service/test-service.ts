import { createHash } from 'node:crypto';
import { dirSync } from 'tmp';
import { inject } from 'vitest';
import type { FileResource } from '../../src/contract/file.ts';
import type { ProjectResource } from '../../src/contract/project.ts';
import type { UploadStarted } from '../../src/contract/upload.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Logger } from '../../src/observe/logger.ts';
import { Operator } from '../../src/service/operator/operator.ts';
import type { ServiceOptions } from '../../src/service/service-config.ts';
import { type RunningService, startService } from '../../src/service/start-service.ts';
import { PostgresDatabases, postgresBinaries } from '../support/postgres-databases.ts';
import { checkAnswer } from './contract-check.ts';
import { layMigratedDatabase } from './migrated-database.ts';
import { TEMPLATE } from './on-postgres.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at, not relied on
type Json = any;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON; undefined when there was no body. */
  readonly body: Json;
}

export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Lines a service logged. */
export class LinesLogger implements Logger {
  readonly lines: { readonly level: string; readonly text: string; readonly fields: object }[] = [];

  error = this.#at('error');
  warn = this.#at('warn');
  info = this.#at('info');
  debug = this.#at('debug');

  #at(level: string) {
    return (fields: object, text: string): void => {
      this.lines.push({ level, text, fields });
    };
  }
}

/** A person with a token. */
export class TestUser {
  readonly username: string;
  readonly token: string;
  readonly url: string;

  constructor(url: string, username: string, token: string) {
    this.url = url;
    this.username = username;
    this.token = token;
  }

  /** Calls the API, with the advance-access header. An answer that is not of the contract fails the test. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const answer = await request(method, `${this.url}${path}`, {
      body: options.body,
      headers: {
        'X-SVC-Auth-Token': this.token,
        'X-SVC-Advance-Access': 'advance',
        ...options.headers,
      },
    });
    await checkAnswer(this.url, { method, path }, answer);
    return answer;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.call('GET', path, { headers });
  }

  post(path: string, body?: unknown): Promise<Answer> {
    return this.call('POST', path, { body });
  }

  async project(name: string): Promise<ProjectResource & { root_folder: string }> {
    return (await this.post('/projects', { name })).body;
  }

  async folder(parent: string, name: string): Promise<FileResource> {
    return (await this.post('/files', { name, type: 'folder', parent })).body;
  }

  /** Uploads through the multipart calls, in one part. */
  async upload(parent: string, name: string, content: string | Uint8Array = name): Promise<FileResource> {
    const started: UploadStarted = (await this.post('/upload/multipart', { parent, name })).body;
    const part = await this.putPart(started.upload_id, 1, content);
    return (await this.post(`/upload/multipart/${started.upload_id}/complete`, { parts: [part] })).body;
  }

  /** Sends one part to its address and answers its report. */
  async putPart(uploadId: string, number: number, content: string | Uint8Array): Promise<Json> {
    const { body } = await this.get(`/upload/multipart/${uploadId}/part/${number}`);
    const answer = await fetch(body.url, { method: 'PUT', body: content as Uint8Array<ArrayBuffer> });
    const etag = (answer.headers.get('etag') ?? '').replaceAll('"', '');
    await answer.text();
    return { part_number: number, response: { headers: { ETag: etag } } };
  }

  /** The content of a file, through its signed address. */
  async download(fileId: string, headers: Record<string, string> = {}): Promise<Response> {
    const { body } = await this.get(`/files/${fileId}/download_info`);
    return fetch(body.url, { headers });
  }
}

/** Sends JSON, and reads JSON back. */
export async function request(method: string, url: string, options: CallOptions = {}): Promise<Answer> {
  const { body, headers = {} } = options;
  const answer = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

/** A service with a directory of its own, and people in it. */
export class TestService {
  readonly #service: RunningService;
  readonly #remove: () => void;
  readonly operator: Operator;
  readonly logger: LinesLogger;
  readonly dataDir: string;

  private constructor(
    service: RunningService,
    directory: { readonly name: string; removeCallback(): void },
    logger: LinesLogger,
  ) {
    this.#service = service;
    this.#remove = () => directory.removeCallback();
    this.dataDir = directory.name;
    this.operator = new Operator(service.services);
    this.logger = logger;
  }

  static async start(options: Partial<ServiceOptions> = {}): Promise<TestService> {
    const directory = dirSync({ prefix: 'svcfs-service', unsafeCleanup: true });
    const logger = new LinesLogger();
    const databaseUrl = await databaseOf(options.dataDir ?? directory.name);
    if (databaseUrl === undefined) await layMigratedDatabase(directory.name);
    const service = await startService({
      dataDir: directory.name,
      host: '127.0.0.1',
      port: 0,
      rateLimit: 'off',
      logger,
      workers: false,
      clock: systemClock,
      databaseUrl,
      secretKeys: { text: SECRET_KEY, source: 'the test' },
      ...options,
    }).catch((error) => {
      directory.removeCallback();
      throw error;
    });
    return new TestService(service, directory, logger);
  }

  get url(): string {
    return this.#service.url;
  }

  get monitorPort(): number | undefined {
    return this.#service.monitorPort;
  }

  get services(): RunningService['services'] {
    return this.#service.services;
  }

  async user(username: string): Promise<TestUser> {
    await this.operator.createUser(username);
    return new TestUser(this.url, username, await this.operator.issueToken(username));
  }

  async stop(): Promise<void> {
    await this.#service.close();
    this.#remove();
  }
}

/** Encrypts the secrets of volumes. */
export const SECRET_KEY = '42'.repeat(32);

const databaseUrls = new Map<string, string>();
let databases: PostgresDatabases | undefined;

/** The database that belongs to a data directory; undefined, for SQLite, unless the tests run on PostgreSQL. */
async function databaseOf(dataDir: string): Promise<string | undefined> {
  const socketDirectory = inject('postgres');
  if (socketDirectory === undefined) return undefined;
  databases ??= new PostgresDatabases(await postgresBinaries(), socketDirectory);
  const url = databaseUrls.get(dataDir) ?? (await databases.create(TEMPLATE));
  databaseUrls.set(dataDir, url);
  return url;
}

export function md5(content: string | Uint8Array): string {
  return createHash('md5').update(content).digest('hex');
}
