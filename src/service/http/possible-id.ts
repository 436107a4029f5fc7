import { ID_LENGTH_MAX } from '../../contract/limits.ts';

const PRINTABLE = /^[!-~]+$/;

/**
 * Whether anything could have that id: ids are printable ASCII without spaces. Others are refused before anything is done
 * or recorded of them; an id that holds a line break could else pass for a line of the audit log.
 */
export function isPossibleId(id: string): boolean {
  return id.length <= ID_LENGTH_MAX && PRINTABLE.test(id);
}

/** Whether a parameter of a path is no possible id, or no part of one. */
export function hasImpossibleId(params: unknown): boolean {
  return Object.values(params ?? {}).some(
    (id) => typeof id === 'string' && id !== '' && (id.includes('/') || !isPossibleId(id)),
  );
}
