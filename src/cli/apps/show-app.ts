import { printExactly } from '../../lib/exact-json.ts';
import { printFacts } from '../describe/print-facts.ts';
import type { Context } from '../platform/find-places.ts';
import { onPlatform } from '../platform/reach-platform.ts';
import { parseAppId } from './app-id.ts';

export interface ShowAppOptions {
  readonly raw: boolean;
  readonly json: boolean;
}

/** Shows a revision of an app, or its document. */
export async function showApp(given: string, options: ShowAppOptions, context: Context): Promise<void> {
  const { id, revision } = parseAppId(given);
  await onPlatform(context, async ({ platform }) => {
    const asked = revision === undefined ? id : `${id}/${revision}`;
    const app = await platform.api.apps.get(asked, { signal: context.signal });
    if (options.raw) console.log(printExactly(app.raw, 2));
    else if (options.json) console.log(printExactly(app, 2));
    else
      printFacts([
        ['app', id],
        ['name', app.name],
        ['revision', String(app.revision)],
        ...['class', 'label', 'cwlVersion', 'svc:toolkit', 'svc:createdBy'].map(
          (key) => [key.replace(/^svc:/, ''), textOf(app.raw[key])] as const,
        ),
        ['inputs', namesOf(app.raw['inputs'])],
        ['outputs', namesOf(app.raw['outputs'])],
      ]);
  });
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Ports of a document are a list, or an object by their names. */
function namesOf(ports: unknown): string {
  if (!Array.isArray(ports)) return Object.keys(ports ?? {}).join(', ');
  return ports.map((port: { readonly id?: unknown }) => textOf(port.id).replace(/^#/, '')).join(', ');
}
