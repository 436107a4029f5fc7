import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApi } from '../../../../src/api/create-api.ts';
import { findStaging } from '../../../../src/cli/mount/find-staging.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { TestService, type TestUser } from '../../../service/test-service.ts';

let service: TestService;
let ada: TestUser;
beforeEach(async () => {
  service = await TestService.start();
  ada = await service.user('ada');
  await ada.project('one');
});
afterEach(() => service.stop());

const find = async (place: string, user = ada): ReturnType<typeof findStaging> => {
  const api = createApi({ endpoint: service.url, token: user.token, clock: systemClock });
  return findStaging(api, place).finally(() => api.close());
};

describe('the staging folder', () => {
  it('is made when it is not there, and found when it is', async () => {
    const made = await find('ada/one');
    expect(made).toMatchObject({ project: 'ada/one', permissions: { write: true } });
    expect(await find('ada/one/.svcfs-staging')).toEqual(made);
  });

  it('may lie deeper', async () => {
    const deep = await find('ada/one/scratch/staging');
    expect(await find('ada/one/scratch')).not.toEqual(deep);
    expect(await find('ada/one/scratch/staging')).toEqual(deep);
  });

  it('is refused where there is no such project', async () => {
    await expect(find('ada/two')).rejects.toThrow('there is no project ada/two');
  });

  it('is refused without permission to write', async () => {
    const eve = await service.user('eve');
    const permissions = { read: true, copy: true, write: false, execute: false, admin: false };
    await ada.post('/projects/ada/one/members', { username: 'eve', permissions });
    await expect(find('ada/one', eve)).rejects.toThrow('needs write permission');
  });
});
