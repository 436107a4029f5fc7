import { access } from 'node:fs/promises';

/** Whether something is there that can be looked at. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
