import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger } from '../../src/observe/logger.ts';
import { chargesIn } from '../../src/service/billing/charge-table.ts';
import { Operator } from '../../src/service/operator/operator.ts';
import type { Services } from '../../src/service/services.ts';
import { openServices } from '../../src/service/start-service.ts';
import { BackgroundProcess } from '../support/background-process.ts';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const STDERR = 2;
/** Of the secrets of volumes; what is shared by several processes must be given it. */
const SECRET_KEY = randomBytes(32).toString('hex');
/** Of the second service, whose limit is reached in a moment. */
const FEW = { requests: 10, seconds: 2 };
const PEOPLE = ['alice', 'bob', 'carol'] as const;
type Tokens = Readonly<Record<(typeof PEOPLE)[number], string>>;

/** A file of each kind that cannot be exported. */
const MARKS = { public: { public: true }, archived: { archived: true }, dataset: { dataset: 'public/set' } };
/** Of a month that is over. */
const CHARGE = { task: '11111111-1111-4111-8111-111111111111', amount: '12.34', month: '2020-05' };

export interface ConformanceWorld {
  /** The facts that the checks are told, as JSON. */
  readonly facts: object;
  /** Answers the failures that are in the log of the services. */
  end(): Promise<readonly string[]>;
}

/** Two services in processes of their own, and what only an operator can bring into the first. */
export async function startWorld(
  directory: string,
  databaseUrl: string | undefined,
): Promise<ConformanceWorld> {
  const data = join(directory, 'data');
  const database = databaseUrl === undefined ? [] : ['--database', databaseUrl];
  const service = serve(data, ['--rate-limit', 'off', ...database]);
  const limited = serve(join(directory, 'limited'), ['--rate-limit', `${FEW.requests}/${FEW.seconds}`]);
  const end = async (): Promise<readonly string[]> => {
    await Promise.all([service.end(), limited.end()]);
    return `${service.stderr}${limited.stderr}`
      .split('\n')
      .filter((line) => line.includes('"level":"error"'));
  };
  try {
    const [url, limitedUrl] = [await urlOf(service), await urlOf(limited)];
    const made = await asOperator({ data, databaseUrl }, (operator, services) =>
      prepare(operator, services, url),
    );
    const few = await asOperator({ data: join(directory, 'limited') }, people);
    const limits = { url: limitedUrl, tokens: few, requests: FEW.requests };
    return {
      facts: { url, ...made, limited: limits, buckets: join(data, 'buckets'), temporary: directory },
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

function serve(data: string, options: readonly string[]): BackgroundProcess {
  const fixed = [MAIN, 'serve', '--listen', '127.0.0.1:0', '--data', data];
  return new BackgroundProcess(process.execPath, [...fixed, ...options], { SVCFS_SECRET_KEY: SECRET_KEY });
}

async function urlOf(service: BackgroundProcess): Promise<string> {
  const [, url = ''] = await service.says(/^listening on (\S+)$/m);
  return url;
}

async function asOperator<T>(
  place: { readonly data: string; readonly databaseUrl?: string | undefined },
  work: (operator: Operator, services: Services) => Promise<T>,
): Promise<T> {
  const services = await openServices({
    dataDir: place.data,
    databaseUrl: place.databaseUrl,
    secretKeys: { text: SECRET_KEY, source: 'this program' },
    rateLimit: 'off',
    logger: createLogger({ fd: STDERR, level: 'warn' }),
  });
  try {
    return await work(new Operator(services), services);
  } finally {
    await services.store.close();
  }
}

async function people(operator: Operator): Promise<Tokens> {
  const tokens: [string, string][] = [];
  for (const username of PEOPLE) {
    await operator.createUser(username);
    tokens.push([username, await operator.issueToken(username)]);
  }
  return Object.fromEntries(tokens) as Tokens;
}

async function prepare(operator: Operator, services: Services, url: string): Promise<object> {
  const tokens = await people(operator);
  const group = await operator.createBillingGroup('alice', 'Lab funds');
  await chargesIn(services.store).insert([oldCharge(group)]);
  const invoice = `${group}-${CHARGE.month}`;
  const marked = await markedFiles(operator, { url, token: tokens.alice });
  const public_app = await publicApp(operator, { url, token: tokens.carol });
  return { tokens, group, invoice, charge: CHARGE, marked, public_app };
}

function oldCharge(group: string) {
  const { task, amount, month } = CHARGE;
  const names = { project_id: 'alice/gone', project_name: 'Gone', task_name: 'Old', app_name: 'App' };
  const times = { time_started: `${month}-02T00:00:00.000Z`, time_finished: `${month}-02T01:00:00.000Z` };
  const sums = { amount_micros: Number(amount) * 1e6, refunded_micros: 0 };
  const rest = { billing_group: group, ran_by: 'alice', status: 'COMPLETED' };
  return { task_id: task, ...sums, ...names, ...times, ...rest };
}

interface Caller {
  readonly url: string;
  readonly token: string;
}

async function markedFiles(operator: Operator, caller: Caller): Promise<object> {
  const project = await post(caller, '/projects', { name: 'Marked' });
  const files: Record<string, string> = {};
  for (const [name, marks] of Object.entries(MARKS)) {
    const place = new URLSearchParams({ project: project.id, name });
    const { id } = await post(caller, `/upload/inline?${place}`, undefined);
    await operator.markFile(id, marks);
    files[name] = id;
  }
  return { project: project.id, root: project.root_folder, files };
}

async function publicApp(operator: Operator, caller: Caller): Promise<string> {
  const project = await post(caller, '/projects', { name: 'Public' });
  const id = `${project.id}/public-app`;
  await post(caller, `/apps/${id}/raw`, {
    class: 'CommandLineTool',
    label: 'Public',
    inputs: [],
    outputs: [],
  });
  await operator.publishApp(id);
  return id;
}

/** Sends JSON, or without it bytes. */
async function post(
  { url, token }: Caller,
  path: string,
  body: object | undefined,
): Promise<{ readonly id: string; readonly root_folder: string }> {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      'X-SVC-Auth-Token': token,
      'X-SVC-Advance-Access': 'advance',
      'Content-Type': body === undefined ? 'application/octet-stream' : 'application/json',
    },
    body: body === undefined ? 'bytes' : JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as { id: string; root_folder: string };
}
