import type { ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../../../src/lib/clock.ts';
import type { BucketCredentials } from '../../../../../src/service/storage/buckets/bucket-credentials.ts';
import { S3Buckets } from '../../../../../src/service/storage/buckets/s3-buckets.ts';
import { stubStore } from './stub-store.ts';

const EMPTY = '<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>';
const SESSION_ARN = 'arn:aws:sts::123456789012:assumed-role/lab/svcfs';
const ROLE = {
  kind: 'role',
  roleArn: 'arn:aws:iam::123456789012:role/labs/lab',
  externalId: 'lab-7',
} as const satisfies BucketCredentials;
const HOUR_MS = 3_600_000;

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'OWN');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'own-secret');
});
afterEach(() => vi.unstubAllEnvs());

interface Store {
  readonly url: string;
  /** The requests to STS. */
  readonly asked: URLSearchParams[];
  /** The users that asked for the listings. */
  readonly lists: (string | undefined)[];
}

/**
 * A store and its STS at one address, after the API reference of AWS: a real one renews no session within a test, and the
 * gateway of Ceph knows no external ids. It checks no signature.
 */
async function storeWithRoles(
  answer: (response: ServerResponse, query: URLSearchParams) => unknown,
): Promise<Store> {
  const asked: URLSearchParams[] = [];
  const lists: (string | undefined)[] = [];
  const url = await stubStore((request, response) => {
    if (request.method === 'POST') {
      return void text(request).then((body) => {
        const query = new URLSearchParams(body);
        asked.push(query);
        answer(response, query);
      });
    }
    if (request.method === 'GET')
      lists.push(/Credential=(\w+)/.exec(request.headers.authorization ?? '')?.[1]);
    return response.end(request.method === 'GET' ? EMPTY : '');
  });
  return { url, asked, lists };
}

function session(
  response: ServerResponse,
  key: string,
  { lifetimeMs = HOUR_MS, arn = SESSION_ARN } = {},
): void {
  const expiration = new Date(Date.now() + lifetimeMs).toISOString();
  response.end(`<AssumeRoleResponse><AssumeRoleResult>
    <AssumedRoleUser><Arn>${arn}</Arn><AssumedRoleId>ID:svcfs</AssumedRoleId></AssumedRoleUser>
    <Credentials><AccessKeyId>${key}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>
    <Expiration>${expiration}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`);
}

function refusal(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status).end(`<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code>
    <Message>User OWN is not authorized</Message></Error></ErrorResponse>`);
}

function bucketsAt(stsEndpoint: string | undefined): S3Buckets {
  return new S3Buckets({ allowedEndpoints: ['127.0.0.1'], clock: systemClock, stsEndpoint });
}

async function list(buckets: S3Buckets, endpoint: string): Promise<void> {
  const bucket = await buckets.open({ endpoint, bucket: 'b' }, ROLE);
  await bucket.list({ prefix: '', limit: 1 });
}

describe('a role', () => {
  it('is taken on with the external id, and the session used until it ends', async () => {
    const store = await storeWithRoles((response) => session(response, 'SESSION'));
    const buckets = bucketsAt(store.url);
    for (const _again of [1, 2, 3]) await list(buckets, store.url);
    expect(Object.fromEntries(store.asked[0] ?? [])).toMatchObject({
      Action: 'AssumeRole',
      RoleArn: ROLE.roleArn,
      ExternalId: 'lab-7',
    });
    expect(store.asked).toHaveLength(1);
    expect(store.lists).toEqual(['SESSION', 'SESSION', 'SESSION']);
  });

  it('is taken on again before the session ends', async () => {
    let sessions = 0;
    const store = await storeWithRoles((response) => {
      sessions += 1;
      session(response, `S${sessions}`, { lifetimeMs: 60_000 });
    });
    const buckets = bucketsAt(store.url);
    await list(buckets, store.url);
    await list(buckets, store.url);
    expect(new Set(store.lists).size).toBe(2);
  });

  it('signs no address for longer than the session lasts', async () => {
    const store = await storeWithRoles((response) => session(response, 'S', { lifetimeMs: HOUR_MS }));
    const bucket = await bucketsAt(store.url).open({ endpoint: store.url, bucket: 'b' }, ROLE);
    const address = await bucket.addressOf('k', 24 * 3600);
    expect(address?.expiresMs).toBeLessThanOrEqual(Date.now() + HOUR_MS);
  });
});

describe('a role is refused', () => {
  const refused = (message: string) => ({ kind: 'role-refused', message: expect.stringContaining(message) });

  it.each([
    [403, 'AccessDenied', 'the external id'],
    [404, 'NoSuchEntity', 'the external id'],
    [400, 'ValidationError', 'the external id'],
    [403, 'InvalidClientTokenId', "the service's own credentials are not valid"],
  ])('when STS answers %i %s', async (status, code, message) => {
    const store = await storeWithRoles((response) => refusal(response, status, code));
    await expect(list(bucketsAt(store.url), store.url)).rejects.toMatchObject(refused(message));
    expect(store.lists).toEqual([]);
  });

  it('when it is used, once its owner has withdrawn it', async () => {
    let given = true;
    const store = await storeWithRoles((response) =>
      given ? session(response, 'S', { lifetimeMs: 60_000 }) : refusal(response, 403, 'AccessDenied'),
    );
    const bucket = await bucketsAt(store.url).open({ endpoint: store.url, bucket: 'b' }, ROLE);
    await bucket.list({ prefix: '', limit: 1 });
    given = false;
    const withdrawn = refused('trust policy');
    await expect(bucket.list({ prefix: '', limit: 1 })).rejects.toMatchObject(withdrawn);
    await expect(bucket.head('k')).rejects.toMatchObject(withdrawn);
    await expect(bucket.open('k')).rejects.toMatchObject(withdrawn);
    await expect(bucket.addressOf('k', 60)).rejects.toMatchObject(withdrawn);
  });

  it('when the external id is another, and only then', async () => {
    const store = await storeWithRoles((response, query) =>
      query.get('ExternalId') === 'lab-7'
        ? session(response, 'SESSION')
        : refusal(response, 403, 'AccessDenied'),
    );
    const buckets = bucketsAt(store.url);
    await list(buckets, store.url);
    const other = await buckets.open({ endpoint: store.url, bucket: 'b' }, { ...ROLE, externalId: 'lab-8' });
    await expect(other.list({ prefix: '', limit: 1 })).rejects.toMatchObject(refused('trust policy'));
  });

  it.each(['', SESSION_ARN.replace('lab', 'other'), SESSION_ARN.replace('1', '2')])(
    'when the session is not its own but of "%s"',
    async (arn) => {
      const store = await storeWithRoles((response) => session(response, 'OWN', { arn }));
      await expect(list(bucketsAt(store.url), store.url)).rejects.toMatchObject(refused('knows no roles'));
      expect(store.lists).toEqual([]);
    },
  );

  it('when the service has no credentials of its own', async () => {
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE'])
      vi.stubEnv(name, undefined);
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nonexistent');
    vi.stubEnv('AWS_CONFIG_FILE', '/nonexistent');
    const store = await storeWithRoles((response) => session(response, 'SESSION'));
    await expect(list(bucketsAt(store.url), store.url)).rejects.toMatchObject(
      refused('no credentials of its own'),
    );
  });

  it.each([undefined, 'http://127.0.0.1:1'])(
    'at a store that the operator did not name, which is asked nothing (%s)',
    async (named) => {
      const store = await storeWithRoles((response) => session(response, 'SESSION'));
      await expect(list(bucketsAt(named), store.url)).rejects.toMatchObject(refused('a pair of keys'));
      expect(store.asked).toEqual([]);
    },
  );
});

it('an STS that fails is no refusal', async () => {
  const store = await storeWithRoles((response) => refusal(response, 400, 'Throttling'));
  await expect(list(bucketsAt(store.url), store.url)).rejects.toMatchObject({ kind: 'unreachable' });
});
