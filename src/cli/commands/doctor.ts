import type { Command } from 'commander';
import { DOCTOR_OPTIONS, type DoctorOptions } from '../../config/doctor-options.ts';
import { addOptions } from '../add-options.ts';
import { wrapped } from '../describe/help-format.ts';
import { EXIT_CODES } from '../exit-codes.ts';

const DETAILS = `
Looks at what a mount needs, from the kernel to the rights on projects, and at the mounts that are there. Each line is ok,
a warning, a FAULT, or ? for what could not be looked at. Below it stands a remedy to paste; what only a person can do begins with #.

The endpoint, the token and the other options are those that svcfs mount would have. With a mount point, its table of the
configuration file counts, and other mounts are left out. The service gets five requests. Without a network it ends in
seconds. A mount that hangs is not waited for.

Exits with ${EXIT_CODES.faulty.code} when there is a fault, and with 0 when there are warnings at most.

Examples:
  svcfs doctor
  svcfs doctor ~/svc --fix
  svcfs doctor --profile lab --json`;

export function addDoctorCommand(program: Command): void {
  const command = program
    .command('doctor')
    .summary('find out why mounting fails, with what to do about it')
    .description(
      'Examine what a mount needs: this machine, the way to the service, the token, disks and mounts.',
    )
    .argument('[mountpoint]', 'a mount, or a directory to mount on; without it all mounts are examined');
  addOptions(command, DOCTOR_OPTIONS)
    .addHelpText('after', wrapped(DETAILS))
    .action(async (path: string | undefined, options: DoctorOptions) => {
      // Other commands need not load the HTTP library.
      const { runDoctor } = await import('../doctor/run-doctor.ts');
      await runDoctor(path, options, command);
    });
}
