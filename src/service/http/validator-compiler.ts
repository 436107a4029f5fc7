import type { FastifySchemaCompiler } from 'fastify';
import { IsArray, IsBoolean, IsInteger, IsNumber, IsObject, type TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { nullRemover } from './null-remover.ts';
import { ServiceError } from './service-error.ts';

/**
 * Validates bodies without what is null for want of a value, queries and paths after conversion from text. A schema is
 * compiled when the first request meets it: most services see few of their routes called.
 */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const convert = httpPart === 'body' ? nullRemover(schema) : queryConverter(schema);
  let validator: Validator | undefined;
  return (received: unknown) => {
    const value = convert(received);
    validator ??= Compile(schema);
    if (validator.Check(value)) return { value };
    return { error: new ServiceError(90000, complaint(validator.Errors(value), httpPart ?? 'request')) };
  };
};

/** A message is for people, and not as long as what was sent. */
const FIELDS_NAMED_MAX = 5;
const NAME_LENGTH_MAX = 100;

interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message: string;
  readonly params: unknown;
}

/** The first thing wrong, in words: `body/source/location must be string`. */
function complaint(errors: readonly SchemaError[], part: string): string {
  const unknown = errors.find((error) => error.keyword === 'additionalProperties');
  if (unknown !== undefined) {
    const { additionalProperties } = unknown.params as { additionalProperties: string[] };
    const named = additionalProperties
      .slice(0, FIELDS_NAMED_MAX)
      .map((name) => name.slice(0, NAME_LENGTH_MAX));
    return `The ${part}${unknown.instancePath} has unknown fields: ${named.join(', ')}.`;
  }
  const [first] = errors;
  return first === undefined
    ? `The ${part} is not valid.`
    : `The ${part}${first.instancePath} ${first.message}.`;
}

type Query = Record<string, unknown>;

/**
 * Turns the text of a query into the types of its schema, and fills in defaults. These are whole numbers, booleans in any
 * case (the public client writes `True`), and a list where one value came alone.
 *
 * Text that cannot be converted stays as it is and fails validation. A key given twice fails too where the schema wants
 * one value. Keys that the schema does not name stay.
 */
function queryConverter(schema: TSchema): (query: unknown) => unknown {
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
