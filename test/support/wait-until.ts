import { setTimeout as delay } from 'node:timers/promises';

/** Polls until `condition` answers something truthy, and answers that; throws with the last error after `timeoutMs`. */
export async function waitUntil<T>(
  condition: () => T | Promise<T>,
  options: { readonly what?: string; readonly timeoutMs?: number; readonly everyMs?: number } = {},
): Promise<NonNullable<T>> {
  const timeoutMs = options.timeoutMs ?? 30_000;
  const deadline = Date.now() + timeoutMs;
  let lastError: unknown;
  for (;;) {
    try {
      const value = await condition();
      if (value) return value;
      lastError = undefined;
    } catch (error) {
      lastError = error;
    }
    if (Date.now() > deadline) {
      const what = options.what ?? condition.toString();
      throw new Error(`not within ${timeoutMs} ms: ${what}`, { cause: lastError });
    }
    await delay(options.everyMs ?? 20);
  }
}
