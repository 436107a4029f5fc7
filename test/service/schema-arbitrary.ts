import fc, { type Arbitrary } from 'fast-check';

/** As much of JSON Schema as the contract uses. */
export interface JsonSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Values that the schema allows; strings come from `text`, and what may be anything from `anything`. */
export function schemaArbitrary(
  schema: JsonSchema,
  kinds: { readonly text: Arbitrary<string>; readonly anything: Arbitrary<unknown> },
): Arbitrary<unknown> {
  const of = (inner: JsonSchema): Arbitrary<unknown> => schemaArbitrary(inner, kinds);
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(of));
  switch (schema.type) {
    case 'string':
      return kinds.text;
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'integer':
    case 'number':
      return fc.integer({ min: schema.minimum ?? -10, max: Math.min(schema.maximum ?? 1000, 2 ** 31 - 1) });
    case 'array':
      return fc.array(of(schema.items ?? {}), { maxLength: 3 });
    case 'object':
      return objects(schema, kinds, of);
    default:
      return kinds.anything;
  }
}

function objects(
  { properties = {}, required = [], patternProperties }: JsonSchema,
  { text }: { readonly text: Arbitrary<string> },
  of: (schema: JsonSchema) => Arbitrary<unknown>,
): Arbitrary<unknown> {
  const [values] = Object.values(patternProperties ?? {});
  if (values !== undefined) return fc.dictionary(text, of(values), { maxKeys: 4 });
  const fields = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, of(schema)]));
  return fc.record(fields, { requiredKeys: [...required] });
}
