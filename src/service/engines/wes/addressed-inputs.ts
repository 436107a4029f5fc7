import type { TaskValues } from '../../../contract/task.ts';
import { isInputEntry } from '../input-entry.ts';
import type { InputEntry } from '../task-engine.ts';

/** The job order: the inputs with every file as an object of CWL that says where it can be fetched. */
export function addressedInputs(inputs: TaskValues, publicUrl: string): unknown {
  const addressed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(addressed);
    if (typeof value !== 'object' || value === null) return value;
    if (isInputEntry(value)) return addressedEntry(value, publicUrl);
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, addressed(inner)]));
  };
  return addressed(inputs);
}

function addressedEntry(entry: InputEntry, publicUrl: string): object {
  if (entry.class === 'Directory') {
    const listing = entry.listing.map((each) => addressedEntry(each, publicUrl));
    return { class: 'Directory', basename: entry.name, listing };
  }
  const { name, metadata, secondaryFiles } = entry;
  const beside = secondaryFiles.map((each) => addressedEntry(each, publicUrl));
  return {
    class: 'File',
    location: `${publicUrl}${entry.address()}`,
    basename: name,
    metadata,
    ...(beside.length === 0 ? {} : { secondaryFiles: beside }),
  };
}
