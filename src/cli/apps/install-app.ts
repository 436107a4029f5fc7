import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { parse as parseYaml } from 'yaml';
import { ApiError } from '../../api/errors.ts';
import { parseExactly } from '../../lib/exact-json.ts';
import { messageOf } from '../../lib/message-of.ts';
import { printJson } from '../describe/print-table.ts';
import { CliError } from '../exit-codes.ts';
import type { Context } from '../platform/find-places.ts';
import type { Platform } from '../platform/platform.ts';
import { onPlatform } from '../platform/reach-platform.ts';
import { parseAppId } from './app-id.ts';

export interface InstallAppOptions {
  readonly json: boolean;
}

/** Installs a document as a new app, or as the next revision of one that is there, and prints its id with the revision. */
export async function installApp(
  file: string,
  given: string,
  { json }: InstallAppOptions,
  context: Context,
): Promise<void> {
  const { id, revision } = parseAppId(given);
  const raw = await documentIn(file);
  await onPlatform(context, async ({ platform }) => {
    const next = revision ?? (await nextRevision(platform, id, context.signal));
    const installed = await platform.api.apps.install(id, { revision: next, raw });
    if (json) printJson({ id: installed });
    else console.log(installed);
  });
}

async function nextRevision({ api }: Platform, id: string, signal: AbortSignal): Promise<number> {
  try {
    return (await api.apps.get(id, { signal })).revision + 1;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return 0;
    throw error;
  }
}

/** JSON keeps its digits; what is no JSON is YAML. `-` is the standard input. */
async function documentIn(file: string): Promise<Readonly<Record<string, unknown>>> {
  let content: string;
  try {
    content = file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (error) {
    throw new CliError('usage', `${file}: ${messageOf(error)}`, { cause: error });
  }
  const document = parsed(file, content);
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new CliError('usage', `${file}: no CWL document: it is no object`);
  return document as Readonly<Record<string, unknown>>;
}

function parsed(file: string, content: string): unknown {
  try {
    return parseExactly(content);
  } catch {
    try {
      return parseYaml(content);
    } catch (error) {
      throw new CliError('usage', `${file}: neither JSON nor YAML: ${messageOf(error)}`, { cause: error });
    }
  }
}
