import type { JsonSchema } from './schema-arbitrary.ts';
import { request } from './test-service.ts';

/** A call of the API, as the service describes it. */
export interface Call {
  readonly method: string;
  /** Below `/v2`, with `{name}` for every parameter. */
  readonly path: string;
  /** Of the body, where it has one. */
  readonly schema: JsonSchema | undefined;
}

/** @param url Of the service, with `/v2`. */
export async function describedCalls(url: string): Promise<Call[]> {
  const { body } = await request('GET', `${url}/openapi.json`);
  return Object.entries<object>(body.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { requestBody }]) => ({
      method: method.toUpperCase(),
      path: path.slice('/v2'.length),
      schema: requestBody?.content['application/json']?.schema,
    })),
  );
}
