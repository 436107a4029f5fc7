/** Why nothing happens for so long. */
export function sayRateWait(ms: number): void {
  const until = new Date(Date.now() + ms).toISOString();
  console.error(`svcfs: the request limit is used up: waiting until ${until} (${Math.ceil(ms / 1000)} s)`);
}
