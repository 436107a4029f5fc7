import { expect, it } from 'vitest';
import { exchangeErrorFrom } from '../../../../src/api/transport/exchange-error.ts';

const failed = (code: string): Error => Object.assign(new Error(`connect ${code}`), { code });

it.each(['ECONNREFUSED', 'EMFILE', 'ENFILE', 'EADDRNOTAVAIL'])(
  'a connection that %s kept from being made sent nothing',
  (code) => {
    expect(exchangeErrorFrom(failed(code)).mayHaveArrived).toBe(false);
  },
);

it('a connection that broke may have carried the call', () => {
  expect(exchangeErrorFrom(failed('ECONNRESET')).mayHaveArrived).toBe(true);
});
