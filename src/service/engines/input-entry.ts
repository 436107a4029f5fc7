import type { InputEntry } from './task-engine.ts';

/** Whether a value among the inputs is a file or folder. */
export function isInputEntry(value: object): value is InputEntry {
  return 'class' in value && (value.class === 'File' || value.class === 'Directory') && 'name' in value;
}
