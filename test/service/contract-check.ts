/**
 * Holds answers against the schemas that the service itself publishes in OpenAPI: every call that a test makes through
 * `TestUser` is checked on the way, so that no answer can leave the contract unseen.
 */
import { Errors, type XSchema } from 'typebox/schema';

// biome-ignore lint/suspicious/noExplicitAny: a document of OpenAPI, looked at and not relied on
type Json = any;

interface Call {
  readonly method: string;
  /** Below `/v2`, with the query. */
  readonly path: string;
}

const ERROR_FIELDS = ['status', 'code', 'message', 'more_info'];
const documents = new Map<string, Promise<Json>>();

/** @throws Error when the answer is not what the contract says. Answers cut by `fields` cannot be held against it. */
export async function checkAnswer(url: string, call: Call, { status, body }: { status: number; body: Json }) {
  if (status >= 400) return checkError(call, status, body);
  if (status !== 200 || call.path.includes('fields=')) return;
  const schema = schemaOf(await documentOf(url), call);
  if (schema === undefined) throw new Error(`${call.method} ${call.path} is in no contract`);
  const errors = schema === null ? [] : Errors(schema as XSchema, body)[1];
  if (errors.length > 0) {
    throw new Error(`${call.method} ${call.path} left the contract: ${JSON.stringify(errors)}`);
  }
}

function checkError({ method, path }: Call, status: number, body: Json): void {
  const fields = Object.keys(body ?? {});
  if (body?.status !== status || ERROR_FIELDS.some((field) => !fields.includes(field))) {
    throw new Error(`${method} ${path} answered ${status} without the standard error object`);
  }
}

async function documentOf(url: string): Promise<Json> {
  const known = documents.get(url) ?? fetch(`${url}/openapi.json`).then((answer) => answer.json());
  documents.set(url, known);
  return known;
}

/** Null where the contract does not describe the answer; undefined where there is no such call. */
function schemaOf(document: Json, { method, path }: Call): object | null | undefined {
  const segments = `/v2${path.split('?', 1)[0]}`.replace(/\/$/, '').split('/');
  const templates = Object.keys(document.paths).filter((template) => matches(template, segments));
  const operations = templates
    .sort((a, b) => parameters(a) - parameters(b))
    .map((template) => document.paths[template][method.toLowerCase()]);
  const operation = operations.find((candidate) => candidate !== undefined);
  if (operation === undefined) return undefined;
  const schema = operation.responses['200']?.content?.['application/json']?.schema;
  return schema === undefined ? null : asAnswered(schema);
}

function matches(template: string, segments: readonly string[]): boolean {
  const parts = template.replace(/\/$/, '').split('/');
  return (
    parts.length === segments.length && parts.every((part, at) => part === segments[at] || part[0] === '{')
  );
}

function parameters(template: string): number {
  return template.split('{').length;
}

/** Items of a collection show their default fields only. */
function asAnswered(schema: Json): Json {
  const { items, links } = schema.properties ?? {};
  if (items === undefined || links === undefined) return schema;
  const item = { ...items.items, required: [] };
  return { ...schema, properties: { ...schema.properties, items: { ...items, items: item } } };
}
