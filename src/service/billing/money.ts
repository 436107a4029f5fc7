import type { Cost, Money } from '../../contract/money.ts';
import { decimalOf } from '../../lib/decimal.ts';

/** Of every price and amount. */
export const CURRENCY = 'USD';

/** The sum of amounts, each in millionths. */
export function money(...micros: readonly number[]): Money {
  return { currency: CURRENCY, amount: decimalOf(micros.reduce((sum, amount) => sum + amount, 0)) };
}

/** Of a task, in millionths: all of it is for computing, as storing costs nothing here. */
export function costOfTask(micros: number): Cost {
  const { currency, amount } = money(micros);
  return { currency, amount, breakdown: { computation: amount, storage: money().amount } };
}
