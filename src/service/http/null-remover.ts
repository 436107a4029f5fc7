import { IsArray, IsNull, IsObject, IsOptional, IsUnion, IsUnknown, type TSchema } from 'typebox';

type Convert = (value: unknown) => unknown;

const unchanged: Convert = (value) => value;

/**
 * Takes fields away that are null where the schema lets them be left out and knows no null for them: clients written in
 * languages without a word for "not given" send it. A null that means something is in the schema, and stays.
 */
export function nullRemover(schema: TSchema): Convert {
  if (IsUnion(schema)) return onlyOne(schema.anyOf.map(nullRemover));
  if (IsArray(schema)) return eachBy(nullRemover(schema.items));
  if (!IsObject(schema)) return unchanged;
  const fields = Object.entries(schema.properties);
  const removable = fields
    .filter(([, field]) => IsOptional(field) && !takesNull(field))
    .map(([name]) => name);
  const inner = fields
    .map(([name, field]) => [name, nullRemover(field)] as const)
    .filter(([, convert]) => convert !== unchanged);
  return removable.length + inner.length === 0 ? unchanged : fieldsBy(new Set(removable), new Map(inner));
}

function fieldsBy(removable: ReadonlySet<string>, inner: ReadonlyMap<string, Convert>): Convert {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const kept = Object.entries(value).filter(([name, field]) => field !== null || !removable.has(name));
    return Object.fromEntries(kept.map(([name, field]) => [name, (inner.get(name) ?? unchanged)(field)]));
  };
}

function eachBy(convert: Convert): Convert {
  if (convert === unchanged) return unchanged;
  return (value) => (Array.isArray(value) ? value.map(convert) : value);
}

/** Of the alternatives of a body at most one is an object. */
function onlyOne(alternatives: readonly Convert[]): Convert {
  return alternatives.find((convert) => convert !== unchanged) ?? unchanged;
}

function takesNull(schema: TSchema): boolean {
  return IsNull(schema) || IsUnknown(schema) || (IsUnion(schema) && schema.anyOf.some(takesNull));
}
