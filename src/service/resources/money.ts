import type { Money } from '../../contract/money.ts';
import { sumOf } from '../rules/decimal.ts';
import { CURRENCY } from '../service-config.ts';

/** The exact sum of amounts, which are decimal numbers as text. */
export function money(...amounts: readonly string[]): Money {
  return { currency: CURRENCY, amount: sumOf(amounts) };
}
