import { type Static, Type } from 'typebox';

export const UserResource = Type.Object({
  href: Type.String(),
  username: Type.String(),
  email: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  affiliation: Type.String(),
  phone: Type.String(),
  address: Type.String(),
  city: Type.String(),
  state: Type.String(),
  country: Type.String(),
  zip_code: Type.String(),
  role: Type.String(),
  tags: Type.Array(Type.String()),
});
export type UserResource = Static<typeof UserResource>;
