import { exactText } from '../../lib/exact-json.ts';
import type { Amount } from '../model.ts';
import { objectAt, type WireObject } from './wire.ts';

/** The platform writes some amounts as numbers, and others as text. */
export function amountAt(object: WireObject, key: string): Amount | undefined {
  const { amount, currency } = objectAt(object, key);
  const text = exactText(amount);
  return text === undefined ? undefined : { amount: text, currency: exactText(currency) ?? '' };
}
