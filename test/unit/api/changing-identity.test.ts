/** A token or a dialect that the service refuses, and another one that takes its place. */
import { afterEach, describe, expect, it } from 'vitest';
import { type ApiClient, type ApiOptions, createApi } from '../../../src/api/create-api.ts';
import { ApiError } from '../../../src/api/errors.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { type StubServer, sendJson, startStub } from '../../support/stub-server.ts';

const REFUSED = { status: 401, code: 90001, message: 'No.', more_info: '' };
const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

/** A service that knows tokens by the header they come in, and whose they are. */
async function worldOf(
  known: Readonly<Record<string, string>>,
  options: Partial<ApiOptions>,
): Promise<{ api: ApiClient; stub: StubServer; changes: unknown[]; tokens: string[] }> {
  const tokens: string[] = [];
  const stub = await startStub(({ headers, url }, response) => {
    const word = ['svc', 'sbg'].find((dialect) => headers[`x-${dialect}-auth-token`] !== undefined);
    const token = `${word} ${headers[`x-${word}-auth-token`]}`;
    tokens.push(`${url.replace('/v2', '')} ${token}`);
    const username = known[token];
    return username === undefined
      ? sendJson(response, 401, REFUSED)
      : { username, url: 'http://x/', size: 1 };
  });
  const changes: unknown[] = [];
  const api = createApi({
    endpoint: `${stub.origin}/v2`,
    token: 'old',
    clock: systemClock,
    onIdentity: (change) => changes.push(change),
    ...options,
  });
  open.push(api, { close: () => stub[Symbol.asyncDispose]() as unknown as Promise<void> });
  return { api, stub, changes, tokens };
}

describe('a dialect that is a guess', () => {
  it('is proved by the first answer, and told', async () => {
    const { api, changes, tokens } = await worldOf({ 'svc old': 'ann' }, { dialectSettled: false });
    await api.whoAmI();
    expect([tokens, changes]).toEqual([['/user svc old'], [{ kind: 'dialect', dialect: 'svc' }]]);
  });

  it('gives way to the other one when the token is refused, for all calls that wait', async () => {
    const { api, changes, tokens } = await worldOf({ 'sbg old': 'ann' }, { dialectSettled: false });
    const both = await Promise.all([api.whoAmI(), api.whoAmI()]);
    expect(both).toEqual([{ username: 'ann' }, { username: 'ann' }]);
    expect(changes).toEqual([{ kind: 'dialect', dialect: 'sbg' }]);
    expect(tokens.filter((each) => each === '/user svc old')).toHaveLength(2);
    expect(tokens).toHaveLength(5);
    expect(api.status().dialect).toBe('sbg');
  });

  it('is tried in the other words once for a token that is good in neither', async () => {
    const { api, tokens, changes } = await worldOf({}, { dialectSettled: false });
    for (let call = 0; call < 3; call += 1) await expect(api.whoAmI()).rejects.toThrow(ApiError);
    expect(tokens.filter((each) => each === '/user sbg old')).toHaveLength(1);
    expect(tokens).toHaveLength(4);
    expect(changes).toEqual([]);
  });

  it('stays when somebody chose it', async () => {
    const { api, tokens } = await worldOf({ 'sbg old': 'ann' }, { dialect: 'svc' });
    await expect(api.whoAmI()).rejects.toThrow(ApiError);
    expect(tokens).toEqual(['/user svc old']);
  });
});

describe('a token that is refused', () => {
  it('gives way to another one of the same user; each call that was refused is sent again', async () => {
    const known: Record<string, string> = { 'svc old': 'ann' };
    const asked: boolean[] = [];
    const { api, changes, tokens } = await worldOf(known, {
      newTokens: async (refused) => {
        asked.push(refused);
        return ['old', 'new'];
      },
    });
    await api.whoAmI();
    delete known['svc old'];
    known['svc new'] = 'ann';
    await Promise.all([api.volumes.downloadInfo('a/v', 'l'), api.volumes.downloadInfo('a/v', 'l')]);
    expect([asked, changes]).toEqual([[true], [{ kind: 'token' }]]);
    expect(tokens.filter((each) => each === '/user svc new')).toHaveLength(1);
    expect(tokens.filter((each) => each.endsWith('svc new'))).toHaveLength(3);
  });

  it('stays when the other one is somebody else’s, or refused too', async () => {
    const known: Record<string, string> = { 'svc old': 'ann', 'svc new': 'bob' };
    const { api, changes } = await worldOf(known, { newTokens: async () => ['wrong', 'new'] });
    await api.whoAmI();
    delete known['svc old'];
    await expect(api.whoAmI()).rejects.toThrow(ApiError);
    expect(changes).toEqual([{ kind: 'token not taken', reason: expect.stringContaining('it is bob’s') }]);
  });

  it('tells why a file cannot be used', async () => {
    const { api, changes } = await worldOf(
      {},
      { newTokens: async () => Promise.reject(new Error('others may read it')) },
    );
    await expect(api.whoAmI()).rejects.toThrow(ApiError);
    expect(changes).toEqual([{ kind: 'token not taken', reason: 'others may read it' }]);
  });
});
