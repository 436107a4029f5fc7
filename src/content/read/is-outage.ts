import { TransportError } from '../../api/errors.ts';
import { ContentError } from '../ports.ts';

/** Nobody said no: the service or the store did not answer for as long as it was tried, or did not work. */
export function isOutage(error: unknown): boolean {
  return error instanceof TransportError || (error instanceof ContentError && error.kind === 'failed');
}
