import type { AppsApi } from '../api.ts';
import { parseApp } from '../parse/app.ts';
import type { Caller } from '../transport/caller.ts';

/** The apps calls (API document, Apps). */
export function appsApi(call: Caller): AppsApi {
  return {
    get: (id, options) =>
      call({ route: 'GET /apps/{id}', path: { id }, exact: true, parse: parseApp }, options),
  };
}
