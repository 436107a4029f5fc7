/** The network between a client and the servers: what is added to that of this machine. */
export interface Line {
  /** Of a round trip. */
  readonly latencyMs: number;
  /** Every door speaks TLS, with one certificate. */
  readonly tls?: true;
  /** Each way, for all connections together. */
  readonly mbitPerSecond?: number;
}

/** The added round trip that the targets look at. */
export const FAR_MS = 20;
export const NEAR: Line = { latencyMs: 0 };
export const FAR: Line = { latencyMs: FAR_MS };
export const NEAR_TLS: Line = { latencyMs: 0, tls: true };
export const FAR_TLS: Line = { latencyMs: FAR_MS, tls: true };
/** A laboratory's way to a cloud. */
export const LABORATORY: Line = { latencyMs: 80, tls: true, mbitPerSecond: 200 };

/** `20 ms`, `0 ms, TLS`, `80 ms, 200 Mbit/s, TLS` */
export function nameOfLine({ latencyMs, tls, mbitPerSecond }: Line): string {
  const parts = [`${latencyMs} ms`];
  if (mbitPerSecond !== undefined) parts.push(`${mbitPerSecond} Mbit/s`);
  if (tls) parts.push('TLS');
  return parts.join(', ');
}

export function isSameLine(one: Line, other: Line): boolean {
  return nameOfLine(one) === nameOfLine(other);
}

/** Bytes of what a line of so many Mbit/s carries in a second, in MiB. */
export function mibPerSecondOf(mbitPerSecond: number): number {
  return (mbitPerSecond * 1_000_000) / 8 / 1024 ** 2;
}
