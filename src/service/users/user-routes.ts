import { Type } from 'typebox';
import { TOKEN_EXPIRES_HEADER } from '../../contract/headers.ts';
import { FieldsQuery } from '../../contract/paging.ts';
import { UserResource } from '../../contract/user.ts';
import type { App } from '../http/fastify-types.ts';
import { ServiceError } from '../http/service-error.ts';
import type { HasStore } from '../store/store.ts';
import { userResource } from './user-resource.ts';
import { usersIn } from './user-table.ts';

export function userRoutes(app: App, { store }: HasStore): void {
  const schema = { querystring: FieldsQuery, response: { 200: UserResource } };

  app.get('/user', { schema }, async ({ caller, view }, reply) => {
    const user = await usersIn(store).find(caller.username);
    if (user === undefined) throw new ServiceError(2002);
    if (caller.tokenExpires) void reply.header(TOKEN_EXPIRES_HEADER, caller.tokenExpires);
    return userResource(user, view);
  });

  app.get(
    '/users/:username',
    { schema: { ...schema, params: Type.Object({ username: Type.String() }) } },
    async ({ caller, view, params }) => {
      const user = await usersIn(store).find(params.username);
      if (user === undefined) throw new ServiceError(2002);
      if (user.username !== caller.username) throw new ServiceError(2001);
      return userResource(user, view);
    },
  );
}
