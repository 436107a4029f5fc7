import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { text as textOfStream } from 'node:stream/consumers';
import { errorCode } from '../../lib/error-code.ts';
import { parseExactly } from '../../lib/exact-json.ts';
import { type FittedInputs, fitInputs } from '../../tasks/fit-inputs.ts';
import { valueOfTexts } from '../../tasks/input-text.ts';
import { isObject } from '../../tasks/port-type.ts';
import type { InputPort } from '../../tasks/ports.ts';
import { CliError } from '../exit-codes.ts';

export interface GivenInputs {
  /** By port. Their relative paths begin at `directory`. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly directory: string;
  /** Words `PORT=VALUE` of the command line, which go before. Their paths begin at the working directory. */
  readonly words: readonly string[];
}

/** Of a file of JSON, or of stdin for `-`. @throws CliError */
export async function readInputs(file: string | undefined, words: readonly string[]): Promise<GivenInputs> {
  for (const word of words)
    if (!/^[^=]+=/s.test(word)) throw new CliError('usage', `-i ${word}: write it as PORT=VALUE`);
  if (file === undefined) return { values: {}, directory: '.', words };
  const text = file === '-' ? await textOfStream(process.stdin) : await textOf(file);
  const values = parsed(text, file);
  if (!isObject(values))
    throw new CliError('usage', `${file}: the inputs are no JSON object with a value for each port`);
  return { values, directory: file === '-' ? '.' : dirname(file), words };
}

/** The inputs against the ports, those of the words last. */
export function fitGiven(
  ports: readonly InputPort[],
  { values, words }: GivenInputs,
): readonly [ofFile: FittedInputs, ofWords: FittedInputs] {
  const texts = new Map<string, string[]>();
  for (const word of words) {
    const name = word.slice(0, word.indexOf('='));
    const known = texts.get(name) ?? [];
    texts.set(name, known);
    known.push(word.slice(name.length + 1));
  }
  const optional = ports.map((port) => ({ ...port, required: port.required && !texts.has(port.name) }));
  const ofFile = Object.fromEntries(Object.entries(values).filter(([name]) => !texts.has(name)));
  const named = ports.filter(({ name }) => texts.has(name));
  const ofWords = Object.fromEntries(
    named.map(({ name, type }) => [name, valueOfTexts(type, texts.get(name) ?? [])]),
  );
  const unknown = [...texts.keys()].filter((name) => !Object.hasOwn(ofWords, name));
  const misnamed = Object.fromEntries(unknown.map((name) => [name, texts.get(name)]));
  return [fitInputs(optional, { ...ofFile, ...misnamed }), fitInputs(named, ofWords)];
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CliError('usage', `${file}: cannot be read (${errorCode(error) ?? 'unknown'})`, {
      cause: error,
    });
  }
}

function parsed(text: string, file: string): unknown {
  try {
    return parseExactly(text);
  } catch (error) {
    throw new CliError('usage', `${file}: no JSON: ${(error as Error).message}`, { cause: error });
  }
}
