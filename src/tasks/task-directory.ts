/** Names of the directories of tasks: `NAME~ID8`. What stands before the `~` is for people: the id finds the task. */

/** Of an id, which is a UUID. */
const ID_DIGITS = 8;
/** NAME_MAX of Linux, without the `~` and the digits. */
const NAME_BYTES = 255 - ID_DIGITS - 1;

/** Control characters, `/`, and halves of surrogate pairs. */
const UNFIT = /[\p{Cc}/]|\p{Surrogate}/gu;

export function taskDirectoryName({ id, name }: { readonly id: string; readonly name: string }): string {
  const fit = name.replace(UNFIT, '_');
  const bytes = Buffer.from(fit);
  const cut =
    bytes.length <= NAME_BYTES
      ? fit
      : bytes
          .subarray(0, NAME_BYTES)
          .toString('utf8')
          .replace(/\ufffd+$/, '');
  return `${cut}~${id.slice(0, ID_DIGITS)}`;
}

/** The beginning of the id in the name of a task's directory; undefined for a name that has none. */
export function idInName(name: string): string | undefined {
  return /~([0-9a-f]{8})$/.exec(name)?.[1];
}
