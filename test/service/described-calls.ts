import type { JsonSchema } from './schema-arbitrary.ts';
import { request } from './test-service.ts';

/** A call of the API, as the service describes it. */
export interface Call {
  readonly method: string;
  /** Below `/v2`, with `{name}` for every parameter. */
  readonly path: string;
  /** Of the body, where it has one. */
  readonly schema: JsonSchema | undefined;
  /** Names of what a query may hold. */
  readonly parameters: readonly string[];
}

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: JsonSchema }>> };
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
}

/** @param url Of the service, with `/v2`. */
export async function describedCalls(url: string): Promise<Call[]> {
  const { body } = await request('GET', `${url}/openapi.json`);
  return Object.entries<Record<string, Operation>>(body.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { requestBody, parameters = [] }]) => ({
      method: method.toUpperCase(),
      path: path.slice('/v2'.length),
      schema: requestBody?.content['application/json']?.schema,
      parameters: parameters.filter(({ in: place }) => place === 'query').map(({ name }) => name),
    })),
  );
}
