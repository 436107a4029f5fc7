import type { Command } from 'commander';
import type { DoctorOptions } from '../../config/doctor-options.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { refuseShownPassword } from '../refuse-shown-password.ts';
import { describeExamination, findingsOf } from './describe-findings.ts';
import { examine } from './examine.ts';
import { fixAll } from './fix.ts';

/** Prints what is found, after what could be mended was. Sets the exit code. */
export async function runDoctor(
  path: string | undefined,
  { fix, json }: DoctorOptions,
  command: Command,
): Promise<void> {
  refuseShownPassword(command);
  let examination = await examine(path, command);
  const fixed = fix ? await fixAll(examination) : [];
  if (fixed.length > 0) examination = await examine(path, command);
  if (json) {
    console.log(JSON.stringify({ fixed, findings: findingsOf(examination) }, (_, value) => value ?? null, 2));
  } else {
    for (const { check, failure } of fixed)
      console.log(failure === undefined ? `mended: ${check}` : `not mended: ${check}: ${failure}`);
    for (const line of describeExamination(examination, process.stdout)) console.log(line);
  }
  const isFaulty = Object.values(examination)
    .flat()
    .some(({ state }) => state === 'fault');
  if (isFaulty) process.exitCode = EXIT_CODES.faulty.code;
}
