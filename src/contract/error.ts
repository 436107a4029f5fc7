import { type Static, Type } from 'typebox';

/** Body of every failed call, and `error` of jobs and bulk entries. */
export const ApiErrorBody = Type.Object({
  /** The HTTP status. */
  status: Type.Integer(),
  /** A key of `ERROR_CODES`. */
  code: Type.Integer(),
  message: Type.String(),
  more_info: Type.String(),
});
export type ApiErrorBody = Static<typeof ApiErrorBody>;
