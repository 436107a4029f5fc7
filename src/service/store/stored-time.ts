/** Instants as the store keeps them: ISO 8601 in UTC with milliseconds; text order is time order. */
export function storedTime(ms: number): string {
  return new Date(ms).toISOString();
}

export function storedTimeMs(stored: string): number {
  return Date.parse(stored);
}

/** An instant as the API writes it: `YYYY-MM-DDThh:mm:ssZ`, without a fraction. */
export function apiTime(stored: string): string {
  return `${stored.slice(0, 19)}Z`;
}
