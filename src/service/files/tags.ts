import { TAG_BYTES_MAX, TAGS_MAX } from '../../contract/limits.ts';
import { ServiceError } from '../http/service-error.ts';
import { isStorableText } from '../store/storable-text.ts';

/** Without repetitions, in the order given. @throws ServiceError 90000 */
export function checkTags(tags: readonly string[]): string[] {
  const unique = [...new Set(tags)];
  if (unique.length > TAGS_MAX) throw new ServiceError(90000, `A file has at most ${TAGS_MAX} tags.`);
  for (const tag of unique) {
    if (tag === '' || !isStorableText(tag) || Buffer.byteLength(tag) > TAG_BYTES_MAX) {
      throw new ServiceError(90000, `A tag is 1 to ${TAG_BYTES_MAX} bytes of valid Unicode text.`);
    }
  }
  return unique;
}
