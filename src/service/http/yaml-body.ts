import { Composer, Lexer, Parser } from 'yaml';
import { checkDepth } from './body-depth.ts';
import type { App } from './fastify-types.ts';
import { ServiceError } from './service-error.ts';

/** No registered type: these are the ones in use. */
const YAML_TYPES = ['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml'];
/** A megabyte takes over a second, in which nobody else is served. JSON has no such limit. */
const LENGTH_MAX = 1024 * 1024;
/** The most nodes open in each other while reading; a level of the document has up to three. */
const OPEN_MAX = 300;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Lets the routes of a scope take YAML beside JSON, by content type, or as one text inside of JSON: so the public client
 * sends it.
 */
export function acceptYaml(app: App): void {
  const options = { parseAs: 'buffer', bodyLimit: LENGTH_MAX } as const;
  app.addContentTypeParser(YAML_TYPES, options, async (_request: unknown, body: Buffer) =>
    checkDepth(parseYaml(() => utf8.decode(body))),
  );
  app.addHook('preValidation', async (request) => {
    const { body } = request;
    if (typeof body !== 'string') return;
    if (body.length > LENGTH_MAX)
      throw new ServiceError(90000, `More than ${LENGTH_MAX} characters.`, { status: 413 });
    request.body = checkDepth(parseYaml(() => body));
  });
}

/** Aliases are expanded a limited number of times: a small document cannot become an enormous one. */
function parseYaml(text: () => string): unknown {
  try {
    const [document, another] = new Composer().compose(tokensOf(text()));
    if (another !== undefined) throw new ServiceError(90000, 'The body is more than one document.');
    const [error] = document?.errors ?? [];
    if (error !== undefined) throw error;
    return document?.toJS() ?? undefined;
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw new ServiceError(90000, 'The body is not valid YAML in UTF-8.', { cause: error });
  }
}

/** Ends before what comes after would run out of stack: within a regular expression that ends the process. */
function* tokensOf(text: string): ReturnType<Parser['parse']> {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    if (parser.stack.length > OPEN_MAX) throw new ServiceError(90000, 'The body has too many levels.');
  }
  yield* parser.end();
}
