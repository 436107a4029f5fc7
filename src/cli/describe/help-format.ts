/** How help looks: wrapped at the width of the terminal, with long options on lines of their own. */
import { styleText } from 'node:util';
import type { Help, Option } from 'commander';
import { wrapText } from './wrap-text.ts';

/** A pipe has no width. Lines for one are as long as those of a terminal that nobody made wider. */
const USUAL_WIDTH = 80;
/** A description that begins further right has too little room beside it. */
const WIDEST_TERM = 24;
const INDENT = '  ';

/** For `Command.configureHelp`. Commander drops the styles where the stream or `NO_COLOR` wants none. */
export const HELP_FORMAT = {
  optionDescription,
  formatItem,
  styleTitle: (title: string) => styleText('bold', title, { validateStream: false }),
  styleOptionTerm: (term: string) => styleText('cyan', term, { validateStream: false }),
  styleSubcommandTerm: (term: string) => styleText('cyan', term, { validateStream: false }),
};

/** For `Command.addHelpText`: a text of `wrapText`, as wide as the stream that it goes to. */
export function wrapped(text: string): (context: { readonly error: boolean }) => string {
  return ({ error }) => wrapText(text, widthOf(error ? process.stderr : process.stdout));
}

function widthOf(stream: NodeJS.WriteStream): number {
  return (stream.isTTY && stream.columns) || USUAL_WIDTH;
}

/** A flag that is not given is off, which needs no words. Some defaults are found out later: words stand for them. */
function optionDescription(this: Help, option: Option): string {
  const { defaultValue, defaultValueDescription: inWords, argChoices, envVar } = option;
  const told: string[] = [];
  if (argChoices !== undefined) told.push(`one of ${argChoices.join(', ')}`);
  if (inWords !== undefined) told.push(`default: ${inWords}`);
  else if (defaultValue !== undefined && defaultValue !== false) told.push(`default: ${defaultValue}`);
  if (envVar !== undefined) told.push(`env: ${envVar}`);
  return told.length === 0 ? option.description : `${option.description} (${told.join('; ')})`;
}

function formatItem(this: Help, term: string, termWidth: number, description: string, help: Help): string {
  const width = this.helpWidth ?? USUAL_WIDTH;
  const column = INDENT.length + Math.min(termWidth, WIDEST_TERM) + INDENT.length;
  const ofTerm = help.displayWidth(term);
  const lines = wrapText(description, width - column)
    .split('\n')
    .map((line) => `${' '.repeat(column)}${line}`);
  const [first = '', ...rest] = lines;
  return ofTerm + 2 * INDENT.length > column
    ? [`${INDENT}${term}`, ...lines].join('\n')
    : [`${INDENT}${term}${first.slice(INDENT.length + ofTerm)}`, ...rest].join('\n');
}
