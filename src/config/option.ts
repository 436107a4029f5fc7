/**
 * One option of a command. Flags, environment and help text all derive from these declarations
 * (`mount-options.ts`, `serve-options.ts`), so an option is added in one place.
 */
export interface Option<T> {
  /** As the command line parser wants it: `--endpoint <url>`; a flag without argument is a boolean. */
  readonly flags: string;
  readonly help: string;
  /** Environment variable that stands in for an absent flag. */
  readonly environment?: string;
  /** Value when neither is given, and how help prints it when that is not plain. */
  readonly default: T;
  readonly defaultText?: string;
  readonly choices?: readonly string[];
  /** The option may be repeated, and its value is the list of all texts, or of what `parse` makes a list of each. */
  readonly collect?: boolean;
  /** From the text of the flag or the environment; throws `InvalidValue`. Absent: the text itself. */
  readonly parse?: (text: string) => T;
}

/** The values a set of options gives: `{ retryTimeout: Option<number> }` becomes `{ retryTimeout: number }`. */
export type OptionValues<Options> = {
  readonly [Name in keyof Options]: Options[Name] extends Option<infer T> ? T : never;
};

/** The values of a command that was given no options. */
export function defaultsOf<Options extends Readonly<Record<string, Option<unknown>>>>(
  options: Options,
): OptionValues<Options> {
  const defaults = Object.entries(options).map(([name, option]) => [name, option.default]);
  return Object.fromEntries(defaults) as OptionValues<Options>;
}

/** The text given for an option is not one it takes. The message says what it takes. */
export class InvalidValue extends Error {
  override readonly name = 'InvalidValue';
}
