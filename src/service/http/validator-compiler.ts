import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { nullRemover } from './null-remover.ts';
import { queryConverter } from './query-converter.ts';
import { ServiceError } from './service-error.ts';

/** Validates bodies without what is null for want of a value, queries and paths after conversion from text. */
export const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const validator = Compile(schema);
  const convert = httpPart === 'body' ? nullRemover(schema) : queryConverter(schema);
  return (received: unknown) => {
    const value = convert(received);
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
