import { PART_COUNT_MAX } from '../../contract/limits.ts';
import { ServiceError } from '../http/service-error.ts';

export interface ReportedPart {
  readonly partNumber: number;
  /** Without quotes. */
  readonly etag: string;
}

/** @throws ServiceError 8012 */
export function checkPartNumber(value: unknown): number {
  const number = typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 1 || number > PART_COUNT_MAX) {
    throw new ServiceError(8012, `A part number is a whole number from 1 to ${PART_COUNT_MAX}.`);
  }
  return number;
}

/** One report: `{part_number, response: {headers: {ETag}}}`, the header in any case. @throws ServiceError 8012, 8014 */
export function parsePartReport(report: unknown): ReportedPart {
  if (!isObject(report)) throw new ServiceError(8014);
  const partNumber = checkPartNumber(report['part_number']);
  const { response } = report;
  const headers = isObject(response) ? response['headers'] : undefined;
  const etag = isObject(headers)
    ? Object.entries(headers).find(([name]) => name.toLowerCase() === 'etag')?.[1]
    : undefined;
  if (typeof etag !== 'string' || etag === '') {
    throw new ServiceError(8014, `The report of part ${partNumber} holds no ETag.`);
  }
  return { partNumber, etag: etag.replaceAll('"', '') };
}

/** A list of reports; of one number the last counts. @throws ServiceError 8015, 8012, 8014 */
export function parsePartReports(parts: unknown): ReportedPart[] {
  if (!Array.isArray(parts)) throw new ServiceError(8015);
  if (parts.length > PART_COUNT_MAX) throw new ServiceError(8015, `At most ${PART_COUNT_MAX} parts.`);
  return [...new Map(parts.map(parsePartReport).map((part) => [part.partNumber, part])).values()];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
