import type { Money } from '../../contract/money.ts';
import { decimalOf } from '../rules/decimal.ts';
import { CURRENCY } from '../service-config.ts';

/** The sum of amounts, each in millionths. */
export function money(...micros: readonly number[]): Money {
  return { currency: CURRENCY, amount: decimalOf(micros.reduce((sum, amount) => sum + amount, 0)) };
}
