import { ServiceError } from '../http/service-error.ts';
import { storedTime } from '../store/stored-time.ts';
import type { TimeSpan } from './task-table.ts';

const INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/;
const ZONE = /(Z|[+-]\d\d:\d\d)$/;
const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The two ends of a span as filters name them, both included. An end without a fraction means its whole second, an end
 * without a time of day its whole day.
 *
 * @throws ServiceError 90000
 */
export function timeSpan(from: string | undefined, to: string | undefined): TimeSpan {
  return {
    from: from === undefined ? undefined : storedTime(parseInstant(from)),
    to: to === undefined ? undefined : storedTime(parseInstant(to) + lengthMs(to) - 1),
  };
}

function parseInstant(text: string): number {
  const zoned = text.includes('T') && !ZONE.test(text) ? `${text}Z` : text;
  const ms = INSTANT.test(text) ? Date.parse(zoned) : Number.NaN;
  if (Number.isNaN(ms)) throw new ServiceError(90000, 'A time has the form YYYY-MM-DDThh:mm:ssZ.');
  return ms;
}

function lengthMs(text: string): number {
  if (!text.includes('T')) return DAY_MS;
  return text.includes('.') ? 1 : 1000;
}
