/** How a task ended. */
const ENDS: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'ABORTED']);

/** It changes no more by itself. */
export function isOver(status: string): boolean {
  return ENDS.has(status);
}
