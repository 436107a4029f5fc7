/** Names of the directories of tasks: `NAME~ID8`. What stands before the `~` is for people: the id finds the task. */

/** Of an id, which is a UUID. */
const ID_DIGITS = 8;
/** NAME_MAX of Linux. */
const NAME_MAX = 255;

/** Control characters, `/`, and halves of surrogate pairs. */
const UNFIT = /[\p{Cc}/]|\p{Surrogate}/gu;

/** `ending`: the whole id tells tasks of one name apart whose ids begin the same. */
export function taskDirectoryName(
  { id, name }: { readonly id: string; readonly name: string },
  ending: 'eight digits' | 'whole id' = 'eight digits',
): string {
  const tail = `~${ending === 'whole id' ? id : id.slice(0, ID_DIGITS)}`;
  const fit = Buffer.from(name.replace(UNFIT, '_'));
  const most = NAME_MAX - tail.length;
  if (fit.length <= most) return `${fit}${tail}`;
  return `${fit
    .subarray(0, most)
    .toString('utf8')
    .replace(/\ufffd+$/, '')}${tail}`;
}

/** The beginning of the id in the name of a task's directory; undefined for a name that has none. */
export function idInName(name: string): string | undefined {
  return /~([0-9a-f]{8})(?:(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?$/.exec(name)?.[1];
}
