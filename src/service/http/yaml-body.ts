import { parse } from 'yaml';
import { ServiceError } from '../service-error.ts';
import type { App } from './fastify-types.ts';

/** No registered type: these are the ones in use. */
const YAML_TYPES = ['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml'];
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Lets the routes of a scope take YAML beside JSON, by content type, or as one text inside of JSON: so the public client
 * sends it.
 */
export function acceptYaml(app: App): void {
  app.addContentTypeParser(YAML_TYPES, { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    parseYaml(() => utf8.decode(body)),
  );
  app.addHook('preValidation', async (request) => {
    const { body } = request;
    if (typeof body === 'string') request.body = parseYaml(() => body);
  });
}

/** Aliases are expanded a limited number of times: a small document cannot become an enormous one. */
function parseYaml(text: () => string): unknown {
  try {
    return parse(text(), { logLevel: 'error' }) ?? undefined;
  } catch (error) {
    throw new ServiceError(90000, 'The body is not valid YAML in UTF-8.', { cause: error });
  }
}
