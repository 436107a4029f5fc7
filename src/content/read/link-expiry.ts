const HOUR_MS = 60 * 60 * 1000;
/** A link is given up so long before its end: a range under way is to come to its own. */
const MARGIN_MS = 60_000;

/**
 * The time until which a signed link that was just given is used, from the expiry in its address. That is `expires` in
 * Unix seconds (ours), or the date and lifetime of AWS Signature Version 4 or the like at Google Cloud Storage. Without
 * an expiry, or with one that our clock has passed, it is an hour: our clock may be wrong, and an earlier 403 costs one
 * more try.
 */
export function usableUntilMs(url: string, nowMs: number): number {
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  const untilMs = (expiresMs(query) ?? nowMs) - MARGIN_MS;
  return untilMs > nowMs ? untilMs : nowMs + HOUR_MS;
}

function expiresMs(query: URLSearchParams): number | undefined {
  const signer = query.has('X-Goog-Date') ? 'X-Goog' : 'X-Amz';
  const date = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(query.get(`${signer}-Date`) ?? '');
  const seconds = Number(query.get(date ? `${signer}-Expires` : 'expires') ?? Number.NaN);
  if (!Number.isFinite(seconds)) return undefined;
  const beganMs = date ? Date.parse(`${date.slice(1, 4).join('-')}T${date.slice(4).join(':')}Z`) : 0;
  return beganMs + seconds * 1000;
}
