import type { Grammar, GrammarOption, Values } from './grammar.ts';

/** For a directory of \`fish_complete_path\`, or for a line \`svcfs completion fish | source\`. */
export function fishCompletion(grammar: readonly Grammar[]): string {
  const paths = grammar.map(({ path }) => quoted(path)).join(' ');
  return [
    '# fish completion for svcfs',
    `set -g __svcfs_paths ${paths}`,
    FUNCTIONS,
    'complete -c svcfs -f',
    ...grammar.flatMap(linesFor),
    '',
  ].join('\n');
}

const FUNCTIONS = `
# Whether the words so far name the command $argv[1].
function __svcfs_at
    set -l path
    for word in (commandline -opc)[2..]
        if string match -q -- '-*' $word
            continue
        end
        if contains -- (string join ' ' $path $word) $__svcfs_paths
            set -a path $word
        end
    end
    test "$path" = "$argv[1]"
end
`;

function linesFor({ path, commands, options, arguments: places }: Grammar): readonly string[] {
  const at = `complete -c svcfs -n ${quoted(`__svcfs_at "${path}"`)}`;
  return [
    ...commands.map(({ name, help }) => `${at} -a ${name} -d ${quoted(help)}`),
    ...options.map((option) => `${at} ${switches(option)} -d ${quoted(firstPart(option.help))}`),
    ...new Set(places.map(({ values }) => `${at} ${valuesOf(values)}`).filter((line) => line !== `${at} `)),
  ];
}

function switches({ flags, values }: GrammarOption): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  if (values === undefined) return names.join(' ');
  return [...names, values.kind === 'files' || values.kind === 'directories' ? '-r' : '-x', valuesOf(values)]
    .join(' ')
    .trim();
}

function valuesOf(values: Values): string {
  if (values.kind === 'words') return `-a ${quoted(values.words.join(' '))}`;
  if (values.kind === 'files') return '-F';
  if (values.kind === 'directories') return `-a '(__fish_complete_directories)'`;
  if (values.kind === 'commands' || values.kind === 'nothing') return '';
  return `-a '(command svcfs complete ${values.kind})'`;
}

function firstPart(help: string): string {
  return help.split(/[:;.]\s/)[0] ?? help;
}

function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}
