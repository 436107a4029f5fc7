import type { UserResource } from '../../contract/user.ts';
import type { RequestView } from '../http/request-view.ts';
import type { UserRow } from './user-table.ts';

/** The part of a user that is in the JSON column. */
export type UserProfile = Omit<UserResource, 'href' | 'username' | 'email'>;

export const EMPTY_PROFILE: UserProfile = {
  first_name: '',
  last_name: '',
  affiliation: '',
  phone: '',
  address: '',
  city: '',
  state: '',
  country: '',
  zip_code: '',
  role: '',
  tags: [],
};

export function userResource({ username, email, profile }: UserRow, view: RequestView): UserResource {
  const stored: UserProfile = JSON.parse(profile);
  return { href: view.href(`/users/${encodeURIComponent(username)}`), username, email, ...stored };
}
