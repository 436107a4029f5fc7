import { ServiceError } from '../http/service-error.ts';
import { storedTime } from '../store/stored-time.ts';

const US_DAY = /^(\d\d)-(\d\d)-(\d{4})$/;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Stored instants around the days named, `mm-dd-yyyy`, both included. @throws ServiceError 90000 */
export function daySpan(
  from: string | undefined,
  to: string | undefined,
): { readonly from?: string | undefined; readonly before?: string | undefined } {
  return {
    from: from === undefined ? undefined : storedTime(parseDay(from)),
    before: to === undefined ? undefined : storedTime(parseDay(to) + DAY_MS),
  };
}

function parseDay(text: string): number {
  const [, month, day, year] = US_DAY.exec(text) ?? [];
  const ms = Date.parse(`${year}-${month}-${day}T00:00:00Z`);
  // The 30th of February would be taken for a day in March.
  if (Number.isNaN(ms) || new Date(ms).getUTCDate() !== Number(day)) {
    throw new ServiceError(90000, 'A day has the form mm-dd-yyyy.');
  }
  return ms;
}
