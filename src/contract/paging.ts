import { type Static, type TArray, type TObject, type TSchema, type TString, Type } from 'typebox';
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from './limits.ts';

export const PageLink = Type.Object({
  href: Type.String(),
  rel: Type.Union([Type.Literal('next'), Type.Literal('prev')]),
  method: Type.Literal('GET'),
});
export type PageLink = Static<typeof PageLink>;

/** A collection: `href` holds the whole query, a last page has no `next` link. */
export interface Page<Item> {
  href: string;
  items: Item[];
  links: PageLink[];
}

export function PageOf<Item extends TSchema>(
  item: Item,
): TObject<{ href: TString; items: TArray<Item>; links: TArray<typeof PageLink> }> {
  return Type.Object({ href: Type.String(), items: Type.Array(item), links: Type.Array(PageLink) });
}

/** Accepted by every call: which fields to return. */
export const FieldsQuery = Type.Object({ fields: Type.Optional(Type.String()) });
export type FieldsQuery = Static<typeof FieldsQuery>;

export const pageQueryProperties = {
  offset: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }),
  limit: Type.Integer({ minimum: 1, maximum: PAGE_LIMIT_MAX, default: PAGE_LIMIT_DEFAULT }),
  fields: Type.Optional(Type.String()),
};

export const PageQuery = Type.Object(pageQueryProperties);
export type PageQuery = Static<typeof PageQuery>;
