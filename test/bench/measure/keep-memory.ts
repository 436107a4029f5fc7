import { readFileSync, writeFileSync } from 'node:fs';
import { freemem } from 'node:os';
import { mustRun } from '../../support/run.ts';
import { nativeProgram } from './native-program.ts';

/** From which size of a free block on (pages, a power of two) the guest tells the hypervisor to take it back. */
const ORDER = '/sys/module/page_reporting/parameters/page_reporting_order';
/** Larger than any block is (MAX_PAGE_ORDER of Linux, and one): nothing is told. */
const NEVER = '11';
/** The kernel thread that writes out what was not used for a while (DAMON), if one is set up. */
const PAGE_OUT = '/sys/kernel/mm/damon/admin/kdamonds/0/state';
/** With less, the first trials got what was not touched, and took up to three times as long. */
const SHARE_TOUCHED = 0.97;

/**
 * Has free memory be there when a trial first uses it, for a file in the page cache or a buffer.
 *
 * A hypervisor takes back the memory that its guest leaves free. It gives the memory again at up to 3 ms a MiB: more than
 * anything measured here, and at random. So the benchmark asks for memory once and keeps it until it exits. Programs that
 * wait for their turn are not paged out either. False, and nothing happens, without such a hypervisor or without root.
 */
export async function keepMemory(): Promise<boolean> {
  set(PAGE_OUT, 'off');
  if (!set(ORDER, NEVER)) return false;
  await mustRun(nativeProgram('touch-memory'), [String(Math.floor(freemem() * SHARE_TOUCHED))], {
    timeoutMs: 300_000,
  });
  return true;
}

/** Until the benchmark exits. */
function set(setting: string, value: string): boolean {
  try {
    const before = readFileSync(setting, 'utf8').trim();
    if (before === value) return true;
    writeFileSync(setting, value);
    process.once('exit', () => writeFileSync(setting, before));
    return true;
  } catch {
    return false;
  }
}
