import { FileSearchAnswer, FileSearchBody, FileSearchQuery } from '../../contract/file.ts';
import type { App } from '../http/fastify-types.ts';
import { permissionsIn } from '../members/members.ts';
import type { HasStore } from '../store/store.ts';
import { fileResource } from './file-resource.ts';
import { parseScrollToken, scrollToken } from './scroll-token.ts';
import { parseSearch } from './search-query.ts';
import { fileSearchIn } from './tables/file-search-table.ts';
import { filesIn } from './tables/file-table.ts';

/** Files and folders of whole projects, wherever they lie, by what is known of them. */
export function fileSearchRoutes(app: App, { store }: HasStore): void {
  app.post(
    '/files/search',
    { schema: { querystring: FileSearchQuery, body: FileSearchBody, response: { 200: FileSearchAnswer } } },
    async ({ caller, view, query, body }) => {
      const search = parseSearch(body.query);
      for (const id of search.projectIds) await permissionsIn(store, caller, { id, malformed: 5005 });
      const { cont_token, limit } = query;
      const afterId = cont_token === undefined ? undefined : parseScrollToken(cont_token);
      const { rows, total } = await fileSearchIn(store).page(search, { afterId, limit });
      const last = rows.at(-1);
      const files = await filesIn(store).withDetails(rows);
      return {
        count: total,
        ...(last !== undefined && rows.length === limit ? { cont_token: scrollToken(last.id) } : {}),
        result_set: files.map((file) => fileResource(file, view)),
      };
    },
  );
}
