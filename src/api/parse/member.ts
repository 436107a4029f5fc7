import type { MemberRecord } from '../model.ts';
import { asObject, booleanAt, objectAt, optionalTextAt, textAt } from './wire.ts';

/** A member of a project or volume. */
export function parseMember(body: unknown): MemberRecord {
  const object = asObject(body, 'member');
  const permissions = objectAt(object, 'permissions');
  return {
    username: optionalTextAt(object, 'username') ?? textAt(object, 'id'),
    email: optionalTextAt(object, 'email'),
    permissions: Object.fromEntries(
      Object.keys(permissions).map((key) => [key, booleanAt(permissions, key)]),
    ),
  };
}
