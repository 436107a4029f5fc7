import { totalmem } from 'node:os';
import { controlGroupLimit } from './control-group.ts';

/** Bytes that a process may use here at most: what the machine has, or its control groups allow. */
export function machineMemory(): number {
  return Math.min(totalmem(), controlGroupLimit());
}
