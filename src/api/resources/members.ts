import type { MembersApi } from '../api.ts';
import { parseMember } from '../parse/member.ts';
import { parsePage } from '../parse/page.ts';
import type { Caller, CallSpec } from '../transport/caller.ts';
import { lookBeforeRepeating } from '../transport/lost-answer.ts';
import { isGone } from './is-gone.ts';

/** The calls on members, which projects and volumes have alike (undocumented-calls, 1.7 and 1.9). */
export function membersApi(call: Caller, of: '/projects' | '/storage/volumes'): MembersApi {
  const memberOf = (id: string, username: string): CallSpec<unknown> => ({
    route: `GET ${of}/{id}/members/{username}`,
    path: { id, username },
    parse: parseMember,
  });
  return {
    members: (id, { offset, limit }, options) =>
      call(
        {
          route: `GET ${of}/{id}/members`,
          path: { id },
          query: { offset, limit, fields: '_all' },
          parse: (_, answer) => parsePage(answer, offset, parseMember),
        },
        options,
      ),

    addMember: async (id, member, options) => {
      await lookBeforeRepeating(
        (timed) =>
          call(
            {
              route: `POST ${of}/{id}/members`,
              path: { id },
              body: { json: { ...member, type: 'USER' } },
              whenLost: 'once',
              parse: () => true as const,
            },
            timed,
          ),
        async (timed) => ((await isGone(call(memberOf(id, member.username), timed))) ? undefined : true),
        call.repetition(options),
      );
    },

    setPermissions: (id, { username, permissions }, options) =>
      call(
        {
          route: `PUT ${of}/{id}/members/{username}/permissions`,
          path: { id, username },
          body: { json: permissions },
          parse: () => undefined,
        },
        options,
      ),

    removeMember: async (id, username, options) => {
      await lookBeforeRepeating(
        (timed) =>
          call(
            {
              route: `DELETE ${of}/{id}/members/{username}`,
              path: { id, username },
              whenLost: 'once',
              parse: () => true as const,
            },
            timed,
          ),
        (timed) => isGone(call(memberOf(id, username), timed)),
        call.repetition(options),
      );
    },
  };
}
