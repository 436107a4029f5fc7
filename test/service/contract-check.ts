/**
 * Holds answers against the schemas that the service itself publishes in OpenAPI. Every call that a test makes through
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

interface Answered {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined when there was none. */
  readonly body: Json;
}

const ERROR_FIELDS = ['status', 'code', 'message', 'more_info'];
/** Every service of a test publishes the same. */
let contract: Promise<Json> | undefined;

/** @throws Error when the answer is not what the contract says: a status it does not name, or another shape. */
export async function checkAnswer(url: string, call: Call, answer: Answered): Promise<void> {
  const { status, body, headers } = answer;
  if (status >= 400) return checkError(call, status, body);
  const response = operationOf(await documentOf(url), call)?.responses[String(status)];
  const wrong = (why: string): Error => new Error(`${call.method} ${call.path} answered ${status} ${why}`);
  if (response === undefined) throw wrong('which is in no contract');
  const schema = response.content?.['application/json']?.schema;
  if (schema === undefined) {
    if (body !== undefined) throw wrong('with a body that no contract describes');
    const location = headers.get('location');
    if (status >= 300 && !URL.canParse(location ?? '')) throw wrong(`to nowhere: ${location}`);
    return;
  }
  const asked = call.path.includes('fields=') ? withoutRequired(schema) : asAnswered(schema);
  const errors = Errors(asked as XSchema, body)[1];
  if (errors.length > 0) throw wrong(`and left the contract: ${JSON.stringify(errors)}`);
}

function checkError({ method, path }: Call, status: number, body: Json): void {
  const fields = Object.keys(body ?? {});
  // Clients wait on code 0 for ever: it means maintenance, which no test makes.
  if (body?.code === 0) throw new Error(`${method} ${path} answered code 0`);
  if (body?.status !== status || ERROR_FIELDS.some((field) => !fields.includes(field))) {
    throw new Error(`${method} ${path} answered ${status} without the standard error object`);
  }
}

async function documentOf(url: string): Promise<Json> {
  contract ??= fetch(`${url}/openapi.json`).then((answer) => answer.json());
  return contract;
}

/** The contract of a call; undefined where there is no such call. */
function operationOf(document: Json, { method, path }: Call): Json {
  const segments = `/v2${path.split('?', 1)[0]}`.replace(/\/$/, '').split('/');
  const templates = Object.keys(document.paths).filter((template) => matches(template, segments));
  return templates
    .sort((a, b) => parameters(a) - parameters(b))
    .map((template) => document.paths[template][method.toLowerCase()])
    .find((operation) => operation !== undefined);
}

/** Of an answer that `fields` has cut: what is there must still be as described. */
function withoutRequired(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutRequired);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { required: _, ...rest } = schema;
  return Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, withoutRequired(value)]));
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
