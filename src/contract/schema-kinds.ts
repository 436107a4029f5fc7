import {
  type Static,
  type TNull,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnion,
  Type,
} from 'typebox';
import { ID_LENGTH_MAX, NAME_LENGTH_MAX, QUERY_VALUES_MAX } from './limits.ts';

/**
 * Answers are open: a client tolerates fields it does not know. Request bodies are closed: the service refuses a
 * field it does not know, so that a typing error is told and not ignored.
 *
 * A field whose absence has an error code of its own is optional in the schema and demanded by the call's rule.
 */
export function RequestBody<Properties extends TProperties>(properties: Properties): TObject<Properties> {
  return Type.Object(properties, { additionalProperties: false });
}

/** A body that may be left out, sent as `null`, or sent as the given object. */
export function OptionalBody<Body extends TSchema>(body: Body): TUnion<[TNull, Body]> {
  return Type.Union([Type.Null(), body]);
}

export function Nullable<Schema extends TSchema>(schema: Schema): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()]);
}

/**
 * An id in a body: printable ASCII, or empty where that means "not given". A job keeps what it was asked, so an id without
 * a limit would be a row without one.
 */
export const Id = Type.String({ maxLength: ID_LENGTH_MAX, pattern: '^[!-~]*$' });
/** A name or a location in a body. */
export const Name = Type.String({ maxLength: NAME_LENGTH_MAX });
/** The values of a query parameter that may be given several times. */
export const QueryValues = Type.Array(Type.String(), { maxItems: QUERY_VALUES_MAX });

/** ISO 8601 in UTC; the service writes `YYYY-MM-DDThh:mm:ssZ`, clients accept a fraction. */
export const Timestamp = Type.String();
/** A size or count in whole units. */
export const Count = Type.Integer({ minimum: 0 });
/** Permissions arrive as booleans (observed) or as the words `true` and `false` (documented). */
export const BooleanWord = Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false')]);
export type BooleanWord = Static<typeof BooleanWord>;
