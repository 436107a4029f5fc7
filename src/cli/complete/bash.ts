import type { Grammar, Values } from './grammar.ts';

const FUNCTIONS = `
# Prints what fits the word $2 of the kind $1.
_svcfs_values() {
  local kind=$1 cur=$2 names
  case $kind in
  files) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
  directories) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
  commands) mapfile -t COMPREPLY < <(compgen -W "\${_svcfs_commands[_]}" -- "$cur") ;;
  words*)
    kind=\${kind#words|}
    mapfile -t COMPREPLY < <(compgen -W "\${kind//|/ }" -- "$cur")
    ;;
  mounts | profiles | projects | volumes)
    compopt -o filenames 2>/dev/null
    mapfile -t names < <("$3" complete "$kind" 2>/dev/null)
    local name
    COMPREPLY=()
    for name in "\${names[@]}"; do [[ $name == "$cur"* ]] && COMPREPLY+=("$name"); done
    if [[ $kind == mounts && \${#COMPREPLY[@]} == 0 ]]; then mapfile -t COMPREPLY < <(compgen -d -- "$cur"); fi
    ;;
  esac
}

_svcfs() {
  local cur=\${COMP_WORDS[COMP_CWORD]} path=_ count=0 pending='' word next i kinds
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    next=$path\\ $word
    next=\${next#_ }
    if [[ $word == = ]]; then continue
    elif [[ -n $pending ]]; then pending=''
    elif [[ $word == -* ]]; then [[ -n \${_svcfs_of_option[$path $word]+x} ]] && pending=$path\\ $word
    elif [[ -n \${_svcfs_options[$next]+x} ]]; then path=$next
    else count=$((count + 1))
    fi
  done
  [[ $cur == = ]] && cur=''
  if [[ -n $pending ]]; then
    _svcfs_values "\${_svcfs_of_option[$pending]}" "$cur" "$1"
  elif [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "\${_svcfs_options[$path]}" -- "$cur")
  else
    read -ra kinds <<<"\${_svcfs_arguments[$path]}"
    if ((\${#kinds[@]} > 0 && count >= \${#kinds[@]})) && [[ \${kinds[-1]} == *+ ]]; then count=$((\${#kinds[@]} - 1)); fi
    word=\${kinds[count]-}
    _svcfs_values "\${word%+}" "$cur" "$1"
    mapfile -t -O \${#COMPREPLY[@]} COMPREPLY < <(compgen -W "\${_svcfs_commands[$path]}" -- "$cur")
  fi
}
complete -F _svcfs svcfs
`;

/** For /usr/share/bash-completion/completions/svcfs, or for a line `source <(svcfs completion bash)` in ~/.bashrc. */
export function bashCompletion(grammar: readonly Grammar[]): string {
  return [
    '# bash completion for svcfs',
    table(
      '_svcfs_commands',
      grammar.map(({ path, commands }) => [keyOf(path), commands.map(({ name }) => name).join(' ')]),
    ),
    table(
      '_svcfs_options',
      grammar.map(({ path, options }) => [keyOf(path), options.flatMap(({ flags }) => flags).join(' ')]),
    ),
    table('_svcfs_of_option', grammar.flatMap(valuesOfOptions)),
    table(
      '_svcfs_arguments',
      grammar.map((each) => [
        keyOf(each.path),
        each.arguments.map(({ values, repeats }) => `${textOf(values)}${repeats ? '+' : ''}`).join(' '),
      ]),
    ),
    FUNCTIONS,
  ].join('\n');
}

/** Bash has no empty keys. */
function keyOf(path: string): string {
  return path === '' ? '_' : path;
}

function valuesOfOptions({ path, options }: Grammar): readonly (readonly [string, string])[] {
  return options.flatMap(({ flags, values }) =>
    values === undefined ? [] : flags.map((flag) => [`${keyOf(path)} ${flag}`, textOf(values)] as const),
  );
}

function textOf(values: Values): string {
  return values.kind === 'words' ? `words|${values.words.join('|')}` : values.kind;
}

function table(name: string, entries: readonly (readonly [string, string])[]): string {
  const lines = entries.map(([key, value]) => `  ['${key}']='${value}'`);
  return [`declare -gA ${name}=(`, ...lines, ')'].join('\n');
}
