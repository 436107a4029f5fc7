/** Says on stderr what an unmount waits for, each time that changes. */
export function sayWaiting(): (pending: readonly string[]) => void {
  let said = '';
  return (pending) => {
    const line = `waiting for ${pending.length === 1 ? '1 file' : `${pending.length} files`}: ${pending[0]}`;
    if (line !== said) console.error(line);
    said = line;
  };
}
