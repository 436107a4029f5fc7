/**
 * mount(8) and umount(8) run a helper for the type svcfs: /sbin/mount.svcfs and /sbin/umount.fuse.svcfs, which are
 * `svcfs mount-helper` and `svcfs unmount-helper`. Each is another way to write `svcfs mount` or `svcfs unmount`.
 */
import type { CommaOption } from '../config/comma-options.ts';
import { joinCommaOptions } from '../config/comma-options.ts';
import { CliError, EXIT_CODES, type ExitName } from '../exit-codes.ts';
import { optionsOfSource, parseHelperArguments } from './helper-options.ts';

export interface CommandLine {
  readonly words: readonly string[];
  readonly codeOf: (exit: ExitName) => number;
}

/** mount(8), section EXIT STATUS. */
const WRONG_USE = 1;
const MOUNT_FAILED = 32;

const USUAL_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const codeOfHelper = (exit: ExitName): number => {
  if (exit === 'done') return 0;
  return exit === 'usage' ? WRONG_USE : MOUNT_FAILED;
};

/** The command that the words of a command line mean. Variables that a helper is given are set by then. */
export function commandOf([name, ...words]: readonly string[]): CommandLine {
  // mount(8) takes it away, and the home directory, which the password file has.
  if (name?.endsWith('mount-helper')) process.env['PATH'] ??= USUAL_PATH;
  if (name === 'mount-helper') return { words: mountWords(words), codeOf: codeOfHelper };
  if (name === 'unmount-helper') return { words: unmountWords(words), codeOf: codeOfHelper };
  return { words: name === undefined ? [] : [name, ...words], codeOf: (exit) => EXIT_CODES[exit].code };
}

function mountWords(given: readonly string[]): readonly string[] {
  const { source, directory, options, environment, isPretended, isVerbose } = parseHelperArguments(given);
  Object.assign(process.env, environment);
  const names = new Set(options.map(({ name }) => name));
  const all: readonly CommaOption[] = [
    ...optionsOfSource(source).filter(({ name }) => !names.has(name)),
    ...options,
  ];
  return [
    'mount',
    ...(all.length > 0 ? ['-o', joinCommaOptions(all)] : []),
    isVerbose ? '--verbose' : '--quiet',
    ...(isPretended ? ['--dry-run'] : []),
    '--',
    directory,
  ];
}

/** `DIRECTORY [-flnrv] [-N NAMESPACE] [-t TYPE]`: umount(8), section EXTERNAL HELPERS. */
function unmountWords(given: readonly string[]): readonly string[] {
  const directory = given.find(
    (word, index) => !word.startsWith('-') && !/^-[Nt]$/.test(given[index - 1] ?? ''),
  );
  if (directory === undefined) throw new CliError('usage', 'expected a DIRECTORY: umount /mnt/svc');
  // On no file system does either of these wait.
  const isForced = given.some((word) => /^-[a-z]*[fl]/.test(word));
  return ['unmount', ...(isForced ? ['--force'] : []), '--', directory];
}
