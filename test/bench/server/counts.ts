/** The requests that a server has had. */
export interface Counts {
  /** Of the platform's API; 0 at doors that have none. */
  readonly apiRequests: number;
  /** Everything else. */
  readonly dataRequests: number;
  readonly sentBytes: number;
}

/** Counts the lines of nginx's log (`port method path status bytes`) that concern a port. */
export function countLines(log: string, port: number): Counts {
  let apiRequests = 0;
  let dataRequests = 0;
  let sentBytes = 0;
  for (const line of log.split('\n')) {
    if (!line.startsWith(`${port} `)) continue;
    const fields = line.split(' ');
    if (fields[2]?.startsWith('/v2')) apiRequests += 1;
    else {
      dataRequests += 1;
      sentBytes += Number(fields.at(-1));
    }
  }
  return { apiRequests, dataRequests, sentBytes };
}

const TOO_MANY_REQUESTS = '429';

/** Counts the requests to a port that were refused for the rate limit. */
export function countRefusals(log: string, port: number): number {
  const lines = log.split('\n').filter((line) => line.startsWith(`${port} `));
  return lines.filter((line) => line.split(' ').at(-2) === TOO_MANY_REQUESTS).length;
}

export function countsBetween(before: Counts, after: Counts): Counts {
  return {
    apiRequests: after.apiRequests - before.apiRequests,
    dataRequests: after.dataRequests - before.dataRequests,
    sentBytes: after.sentBytes - before.sentBytes,
  };
}
