import { getSystemErrorMap } from 'node:util';

/** Why something failed, for a person: of a system error what the system says, without the call and the path. */
export function plainReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const errno: unknown = 'errno' in error ? error.errno : undefined;
  const [, words] = (typeof errno === 'number' && getSystemErrorMap().get(errno)) || [];
  return words ?? error.message;
}
