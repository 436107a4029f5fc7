import type { Grammar, GrammarOption, Values } from './grammar.ts';

const HEAD = `#compdef svcfs
# zsh completion for svcfs

_svcfs_known() {
  local -a names
  names=("\${(@f)$(_call_program names $service complete $1 2>/dev/null)}")
  compadd -Q -- "\${(@q)names:#}"
}
`;

/** For a directory of \`fpath\`, or for a line \`source <(svcfs completion zsh)\` in ~/.zshrc. */
export function zshCompletion(grammar: readonly Grammar[]): string {
  return [HEAD, ...grammar.map(functionFor), TAIL].join('\n');
}

const TAIL = `
if [[ $funcstack[1] == _svcfs ]]; then
  _svcfs "$@"
else
  compdef _svcfs svcfs
fi
`;

function functionFor({ path, commands, options, arguments: places }: Grammar): string {
  const name = nameOf(path);
  const specs = options.flatMap(specsOf);
  if (commands.length === 0) {
    const positions = places.map(
      ({ name: place, values, repeats }, index) =>
        `'${repeats ? '*' : index + 1}:${text(place)}:${actionOf(values)}'`,
    );
    return `${name}() {\n  _arguments ${[...specs, ...positions].join(' \\\n    ')}\n}\n`;
  }
  const described = commands.map((each) => `    '${each.name}:${text(each.help)}'`).join('\n');
  const cases = commands
    .map((each) => `      ${each.name}) ${nameOf(`${path} ${each.name}`.trim())} ;;`)
    .join('\n');
  return `${name}() {
  local curcontext=$curcontext state line
  local -a commands
  commands=(
${described}
  )
  _arguments -C ${specs.join(' \\\n    ')} \\
    '1:command:->command' '*::argument:->argument'
  case $state in
  command) _describe command commands ;;
  argument)
    case $line[1] in
${cases}
    esac ;;
  esac
}
`;
}

function nameOf(path: string): string {
  return path === '' ? '_svcfs' : `_svcfs_${path.replace(/[^a-z]/g, '_')}`;
}

function specsOf({ flags, help, values }: GrammarOption): readonly string[] {
  const value = values === undefined ? '' : `:value:${actionOf(values)}`;
  // The first sentence, or as much of a long one as a line shows.
  const short = text(help.split(/[:;.]\s/)[0]?.slice(0, 60) ?? '');
  return flags.map(
    (flag) => `'*${flag}${values !== undefined && flag.startsWith('--') ? '=' : ''}[${short}]${value}'`,
  );
}

function actionOf(values: Values): string {
  if (values.kind === 'words') return `(${values.words.join(' ')})`;
  if (values.kind === 'files') return '_files';
  if (values.kind === 'directories') return '_files -/';
  if (values.kind === 'commands' || values.kind === 'nothing') return ' ';
  return `{_svcfs_known ${values.kind}}`;
}

/** `of` with the characters escaped that mean something in a spec. */
function text(of: string): string {
  return of.replaceAll("'", '’').replace(/[[\]:\\]/g, '\\$&');
}
