/** Says on stderr what an unmount waits for, each time that changes. */
export function sayWaiting(): (pending: readonly string[]) => void {
  let said = '';
  return (pending) => {
    const line = `waiting for ${pending.length === 1 ? '1 file' : `${pending.length} files`}: ${pending[0]}`;
    if (line !== said) console.error(line);
    said = line;
  };
}

/** Why nothing happens for so long. */
export function sayRateWait(ms: number): void {
  const until = new Date(Date.now() + ms).toISOString();
  console.error(`svcfs: the request limit is used up: waiting until ${until} (${Math.ceil(ms / 1000)} s)`);
}
