import { IsArray, IsBoolean, IsInteger, IsNumber, IsObject, type TSchema } from 'typebox';

type Query = Record<string, unknown>;

/**
 * Turns the text of a query into the types of its schema, and fills in defaults. These are whole numbers, booleans in any
 * case (the public client writes `True`), and a list where one value came alone.
 *
 * Text that cannot be converted stays as it is and fails validation. A key given twice fails too where the schema wants
 * one value. Keys that the schema does not name stay.
 */
export function queryConverter(schema: TSchema): (query: unknown) => unknown {
  if (!IsObject(schema)) return (query) => query;
  const properties = Object.entries(schema.properties);
  return (query) => {
    const converted: Query = { ...(query as Query) };
    for (const [key, property] of properties) {
      const value = converted[key];
      if (value !== undefined) converted[key] = convert(value, property);
      else if ('default' in property) converted[key] = property.default;
    }
    return converted;
  };
}

function convert(value: unknown, schema: TSchema): unknown {
  if (IsArray(schema)) return Array.isArray(value) ? value : [value];
  if (typeof value !== 'string') return value;
  if (IsInteger(schema) || IsNumber(schema)) return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  if (IsBoolean(schema)) return BOOLEANS.get(value.toLowerCase()) ?? value;
  return value;
}

const BOOLEANS = new Map([
  ['true', true],
  ['false', false],
]);
