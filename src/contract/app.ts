import { type Static, Type } from 'typebox';
import { pageQueryProperties } from './paging.ts';
import { Nullable, QueryValues, RequestBody } from './schema-kinds.ts';

/**
 * A CWL document, with the keys `svc:…` that the service fills: times in it are integer seconds since the epoch. It is open:
 * every key of the language, and of languages to come.
 */
export const AppDocument = Type.Record(Type.String(), Type.Unknown());
export type AppDocument = Static<typeof AppDocument>;

/** One revision of an app. `id` ends in the revision; an item of a list is the app itself, and its `id` does not. */
export const AppResource = Type.Object({
  href: Type.String(),
  id: Type.String(),
  project: Type.String(),
  name: Type.String(),
  revision: Type.Integer({ minimum: 0 }),
  raw: AppDocument,
});
export type AppResource = Static<typeof AppResource>;

/** Fields of an item of `GET /apps` when `fields` is not given. */
export const APP_LIST_FIELDS = ['href', 'id', 'name'] as const;

export const AppListQuery = Type.Object({
  ...pageQueryProperties,
  project: Type.Optional(Type.String()),
  project_owner: Type.Optional(Type.String()),
  /** `public` or `private` (default); another word is refused by the call (6012). */
  visibility: Type.Optional(Type.String()),
  /** Terms separated by spaces, all of which must match; repeated, the terms of all. */
  q: Type.Optional(QueryValues),
  /** Without a revision; repeated = OR. */
  id: Type.Optional(QueryValues),
});
export type AppListQuery = Static<typeof AppListQuery>;

/** `POST /apps/{id}/actions/copy`; an unknown strategy is refused by the call (6010). */
export const CopyAppBody = RequestBody({
  project: Type.Optional(Type.String()),
  name: Type.Optional(Nullable(Type.String())),
  strategy: Type.Optional(Nullable(Type.String())),
});
export type CopyAppBody = Static<typeof CopyAppBody>;
