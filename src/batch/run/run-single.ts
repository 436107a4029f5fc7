import type { Place } from '../../api/call-options.ts';
import { ApiError } from '../../api/errors.ts';
import { DONE, failed, type Outcome } from '../item.ts';
import type { Deletion, FolderToMake, Leftover, Taking, To, Transition } from '../step.ts';
import type { RunContext } from './run-context.ts';

const NO_FOLDER = failed('the folder that it goes to could not be made');

/** Undefined when the folder could not be made. */
export function placeOf({ parent, name }: To): Place | undefined {
  return parent.id === undefined ? undefined : { parent: parent.id, name };
}

/** A refusal of the platform concerns the item alone; anything else ends the run. */
export async function outcomeOf(work: Promise<unknown>): Promise<Outcome> {
  try {
    await work;
    return DONE;
  } catch (error) {
    if (error instanceof ApiError && isOfItem(error)) return failed(error.message);
    throw error;
  }
}

/** Not of the token, the limit or the service. */
export function isOfItem({ status }: ApiError): boolean {
  return status !== 401 && status !== 429 && status < 500;
}

/** A folder that is there by now is as good as made. */
export async function makeFolder(item: FolderToMake, { api }: RunContext): Promise<Outcome> {
  const place = placeOf(item.to);
  if (place === undefined) return NO_FOLDER;
  const made = async (): Promise<void> => {
    item.made.id = (await api.files.createFolder(place)).id;
  };
  const outcome = await outcomeOf(made());
  if (outcome.kind === 'done') return outcome;
  const entry = await api.files.find(place);
  if (entry?.kind !== 'folder') return outcome;
  item.made.id = entry.id;
  return DONE;
}

/** A file that is gone by now is what was asked for. */
export async function deleteFiles(
  items: readonly Deletion[],
  { api }: RunContext,
): Promise<readonly Outcome[]> {
  const answers = await api.files.bulkDelete(items.map(({ id }) => id));
  return answers.map((answer) =>
    answer.ok || answer.failure.status === 404 ? DONE : failed(answer.failure.message),
  );
}

export function runSingle(
  operation: 'copy' | 'move',
  item: Transition,
  { api }: RunContext,
): Promise<Outcome> {
  const place = placeOf(item.to);
  if (place === undefined) return Promise.resolve(NO_FOLDER);
  const { id, from, overwrite, made } = item;
  const call = async (): Promise<void> => {
    const file =
      operation === 'copy'
        ? await api.files.copy(id, place)
        : from.parent === place.parent
          ? await api.files.edit(id, { name: place.name }, { overwrite })
          : await api.files.move(id, place, { overwrite });
    if (made) made.id = file.id;
  };
  return outcomeOf(call());
}

/**
 * Gives a file the name of another one, which goes. Where the platform cannot do both at once, the other goes first: the
 * new content is there already, under a name of its own.
 */
export async function takeName(
  { made, to, replaced }: Taking,
  atomic: boolean,
  { api }: RunContext,
): Promise<Outcome> {
  const { id } = made;
  if (id === undefined) {
    const { outcome } = made;
    return outcome === undefined || outcome.kind === 'done'
      ? failed('the platform does not tell of its copy')
      : outcome;
  }
  const take = async (): Promise<void> => {
    if (!atomic) await api.files.bulkDelete([replaced]);
    await api.files.edit(id, { name: to.name }, { overwrite: atomic });
  };
  return outcomeOf(take());
}

/** Only an empty folder goes: what came into it meanwhile stays. */
export async function removeLeftover({ id }: Leftover, { api }: RunContext): Promise<Outcome> {
  const outcome = await outcomeOf(api.files.delete(id));
  return outcome.kind === 'failed'
    ? failed(`its entries were moved, and it stays: ${outcome.reason}`)
    : outcome;
}
