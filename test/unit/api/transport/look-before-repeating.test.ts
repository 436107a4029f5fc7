import { describe, expect, it } from 'vitest';
import { TransportError } from '../../../../src/api/errors.ts';
import { LostAnswer, lookBeforeRepeating } from '../../../../src/api/transport/lost-answer.ts';

describe('lookBeforeRepeating', () => {
  const repeating = (again: () => boolean) => ({
    options: () => ({}),
    spent: () => undefined,
    again: async () => again(),
  });
  const lost = (): LostAnswer => new LostAnswer('reset', { call: 'POST /x' });
  const away = new TransportError('refused', { call: 'GET /x', mayHaveArrived: false });

  it.each([
    ['cannot be looked for', async () => Promise.reject(away)],
    ['is not found, and cannot be repeated', async () => undefined],
  ])('leaves open what became of a call that %s', async (_, look) => {
    let attempts = 0;
    const attempt = async (): Promise<never> => {
      attempts += 1;
      throw attempts === 1 ? lost() : away;
    };
    const result = lookBeforeRepeating<string>(
      attempt,
      look,
      repeating(() => true),
    );
    await expect(result).rejects.toMatchObject({ message: 'refused', mayHaveArrived: true });
  });

  it('takes what is found for the result', async () => {
    const result = lookBeforeRepeating<string>(
      () => Promise.reject(lost()),
      async () => 'found',
      repeating(() => false),
    );
    expect(await result).toBe('found');
  });

  it('sends again when nothing is found', async () => {
    let attempts = 0;
    const result = lookBeforeRepeating<string>(
      async () => {
        attempts += 1;
        if (attempts === 1) throw lost();
        return 'second';
      },
      async () => undefined,
      repeating(() => true),
    );
    expect(await result).toBe('second');
  });

  it('gives up on a server that fails over the call every time', async () => {
    let attempts = 0;
    const result = lookBeforeRepeating<string>(
      () => {
        attempts += 1;
        return Promise.reject(new LostAnswer('HTTP status 500', { call: 'POST /x', answer: 'failed' }));
      },
      async () => undefined,
      repeating(() => true),
    );
    await expect(result).rejects.toThrow(LostAnswer);
    expect(attempts).toBe(4);
  });

  it('gives up when every answer is lost and the time is over', async () => {
    let attempts = 0;
    const result = lookBeforeRepeating<string>(
      () => {
        attempts += 1;
        return Promise.reject(lost());
      },
      async () => undefined,
      repeating(() => attempts < 5),
    );
    await expect(result).rejects.toThrow(LostAnswer);
    expect(attempts).toBe(5);
  });
});
