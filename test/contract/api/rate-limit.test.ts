import { afterEach, describe, expect, it } from 'vitest';

import { createApi } from '../../../src/api/create-api.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { TestService } from '../../service/test-service.ts';
import { DIALECT } from '../../support/dialect.ts';

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) {
    await close();
  }
});

describe('a client of a service with a rate limit', () => {
  it('waits for the next interval and is never refused', async () => {
    const service = await TestService.start({ rateLimit: { requests: 10, seconds: 2 } });
    open.push(() => service.stop());
    const alice = await service.user('alice');
    const statuses: (number | undefined)[] = [];
    const api = createApi({
      endpoint: service.url,
      token: alice.token,
      clock: systemClock,
      dialect: DIALECT,
      onExchange: ({ status }) => statuses.push(status),
    });
    open.push(() => api.close());
    const names = await Promise.all(Array.from({ length: 25 }, () => api.whoAmI()));
    expect(names).toHaveLength(25);
    expect(statuses).toEqual(Array.from({ length: 25 }, () => 200));
  });

  it('goes on after others used up the interval', async () => {
    const service = await TestService.start({ rateLimit: { requests: 5, seconds: 2 } });
    open.push(() => service.stop());
    const alice = await service.user('alice');
    for (let count = 0; count < 6; count += 1) {
      await alice.get('/user');
    }
    const api = createApi({
      endpoint: service.url,
      token: alice.token,
      clock: systemClock,
      dialect: DIALECT,
    });
    open.push(() => api.close());
    expect(await api.whoAmI()).toEqual({ username: 'alice' });
  });
});
