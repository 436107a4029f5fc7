import { ServiceError } from './service-error.ts';

/** Objects and lists in each other. Documents of apps, the deepest there are, have some twenty. */
const DEPTH_MAX = 100;

/**
 * Returns the body. Later code, such as the writing of JSON, calls itself for each level, and would run out of stack.
 *
 * @throws ServiceError 90000
 */
export function checkDepth(body: unknown): unknown {
  if (isDeeper(body, DEPTH_MAX)) throw new ServiceError(90000, `The body has more than ${DEPTH_MAX} levels.`);
  return body;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
