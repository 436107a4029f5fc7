import { textOfLine } from '../../observe/log-text.ts';
import { CliError } from '../exit-codes.ts';
import { findLog } from './find-log.ts';
import { followLog } from './follow-log.ts';
import { isWanted, linesOf, type Wanted } from './read-log.ts';

export interface ShowOptions extends Wanted {
  readonly follow: boolean;
  readonly lines: number;
  readonly json: boolean;
}

/** Prints the last lines of a mount's log, and with `follow` those to come. */
export async function showLog(path: string | undefined, options: ShowOptions): Promise<void> {
  const { log, serviceLog } = await findLog(path);
  const print = (line: string): void => console.log(options.json ? line : textOfLine(line));
  // The service of a demo is on this machine, too: its line says what became of a request there.
  const lines = [
    ...(await linesOf(log)),
    ...(options.request === undefined ? [] : await linesOf(serviceLog)),
  ];
  const wanted = lines.filter((line) => isWanted(line, options));
  for (const line of wanted.slice(Math.max(0, wanted.length - options.lines))) print(line);
  if (options.request !== undefined && wanted.length === 0 && !options.follow)
    throw new CliError(
      'failure',
      `no line of ${log} has the request ${options.request}: svcfs log level debug writes one for each`,
    );
  if (!options.follow) return;
  const gone = new AbortController();
  process.stdout.once('error', () => gone.abort());
  for await (const line of followLog(log, gone.signal)) if (isWanted(line, options)) print(line);
}
