import { describe, expect, it } from 'vitest';
import { postgresFailure } from '../../../../src/service/store/postgres-failure.ts';

const fromServer = (code: string): Error => Object.assign(new Error('x'), { severity: 'ERROR', code });

describe('an error of PostgreSQL', () => {
  it.each([
    ['40001', 'conflict'],
    ['40P01', 'conflict'],
    ['23505', 'taken'],
    ['53100', 'full'],
    ['53300', 'busy'],
    ['57014', 'busy'],
    ['57P01', 'unreachable'],
    ['08006', 'unreachable'],
    ['23503', 'dangling'],
    ['42601', undefined],
  ])('of code %s says %s', (code, failure) => {
    expect(postgresFailure(fromServer(code))).toBe(failure);
  });

  it('that the server did not send says that it cannot be reached', () => {
    expect(postgresFailure(new Error('Connection terminated unexpectedly'))).toBe('unreachable');
    expect(postgresFailure(Object.assign(new Error('x'), { code: 'ECONNREFUSED' }))).toBe('unreachable');
  });
});
