/** What mount(8) tells a helper (mount.svcfs), and what svcfs makes of it: mount(8), section EXTERNAL HELPERS. */
import { type CommaOption, splitCommaOptions } from '../config/comma-options.ts';
import { CliError } from '../exit-codes.ts';

/** Words for mount(8), systemd and fstab(5), and those that hold for each FUSE file system anyway. */
export const IGNORED_BY_HELPER = [
  'auto',
  'noauto',
  'user',
  'nouser',
  'users',
  'group',
  'nofail',
  '_netdev',
  'defaults',
  'nosuid',
  'nodev',
  'suid',
  'dev',
  'exec',
  'async',
  'atime',
  'noatime',
  'relatime',
  'norelatime',
  'diratime',
  'nodiratime',
] as const;

const IGNORED: ReadonlySet<string> = new Set(IGNORED_BY_HELPER.map((name) => name.replaceAll('_', '-')));

export interface HelperRequest {
  /** A profile, an endpoint, or `none`. */
  readonly source: string;
  readonly directory: string;
  readonly options: readonly CommaOption[];
  /** Set by `env.NAME=VALUE`. */
  readonly environment: Readonly<Record<string, string>>;
  /** `-f`: look at everything, and mount nothing. */
  readonly isPretended: boolean;
  readonly isVerbose: boolean;
}

/** From the arguments of the helper: `SOURCE DIRECTORY [-sfnv] [-N NAMESPACE] [-o OPTIONS] [-t TYPE]`. */
export function parseHelperArguments(words: readonly string[]): HelperRequest {
  const places: string[] = [];
  const texts: string[] = [];
  const flags = new Set<string>();
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '-o' || word === '-t' || word === '-N') {
      index += 1;
      if (word === '-o') texts.push(words[index] ?? '');
    } else if (/^-[sfnv]+$/.test(word)) for (const flag of word.slice(1)) flags.add(flag);
    else if (word.startsWith('-')) throw new CliError('usage', `unknown option ${word}`);
    else places.push(word);
  }
  const [source, directory, ...others] = places;
  if (source === undefined || directory === undefined || others.length > 0)
    throw new CliError('usage', 'expected SOURCE DIRECTORY: mount -t svcfs PROFILE /mnt/svc');
  const all = texts.flatMap(splitCommaOptions);
  if (all.some(({ name }) => name === 'remount'))
    throw new CliError('usage', 'svcfs cannot change a mount that is there: unmount it, and mount it anew');
  const isVariable = ({ name }: CommaOption): boolean => name.startsWith('env.');
  return {
    source,
    directory,
    options: all.filter((option) => !isVariable(option) && !isIgnored(option)),
    environment: Object.fromEntries(
      all
        .filter(isVariable)
        .map(({ name, value }) => [name.slice('env.'.length).replaceAll('-', '_'), value ?? '']),
    ),
    isPretended: flags.has('f'),
    isVerbose: flags.has('v'),
  };
}

function isIgnored({ name, value }: CommaOption): boolean {
  return (
    IGNORED.has(name) || /^x-/i.test(name) || name === 'comment' || (name === 'owner' && value === undefined)
  );
}

/** The options of `svcfs mount` that a source stands for. */
export function optionsOfSource(source: string): readonly CommaOption[] {
  if (source === 'none' || source === 'svcfs') return [];
  return /^https?:\/\//.test(source)
    ? [{ name: 'endpoint', value: source }]
    : [{ name: 'profile', value: source }];
}
