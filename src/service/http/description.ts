import { isStorableText } from '../store/storable-text.ts';
import { ServiceError } from './service-error.ts';

/** @returns The description, empty for none. @throws ServiceError 90000 */
export function checkDescription(description: string | null | undefined): string {
  const text = description ?? '';
  if (!isStorableText(text)) throw new ServiceError(90000, 'The description is not valid Unicode text.');
  return text;
}
