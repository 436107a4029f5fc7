/** The inputs of a task against the ports of its app: what fits goes on, and all that does not is told at once. */
import { exactNumber } from '../lib/exact-json.ts';
import { nearestWords } from '../lib/nearest-word.ts';
import { describeType, isObject, type PortType, valueTypes } from './port-type.ts';
import type { InputPort } from './ports.ts';

/** A file or folder of the inputs, as the API has it once its path is an id. */
export interface FileInput {
  readonly class: 'File' | 'Directory';
  path: string;
  readonly secondaryFiles?: readonly FileInput[];
}

export interface FileReference {
  /** `reads[1]`, for a message. */
  readonly at: string;
  /** Its `path` is what was given, until somebody puts the id there. */
  readonly file: FileInput;
}

export interface FittedInputs {
  readonly values: Readonly<Record<string, unknown>>;
  readonly files: readonly FileReference[];
  /** One sentence each; empty when the inputs fit. */
  readonly problems: readonly string[];
}

/** A value of a port, made ready, or why it does not fit. */
type Fitted = { readonly value: unknown; readonly files: readonly FileReference[] } | Misfit;
interface Misfit {
  readonly problems: readonly string[];
}

/** Deeper ones are no inputs of a person. */
const DEPTH_MAX = 20;

export function fitInputs(
  ports: readonly InputPort[],
  given: Readonly<Record<string, unknown>>,
): FittedInputs {
  const names = new Set(ports.map(({ name }) => name));
  const problems = Object.keys(given)
    .filter((name) => !names.has(name))
    .map((name) => unknownPort(name, [...names]));
  const values: Record<string, unknown> = {};
  const files: FileReference[] = [];
  for (const { name, type, required } of ports) {
    const value = Object.hasOwn(given, name) ? (given[name] ?? null) : null;
    if (value === null) {
      if (required) problems.push(mismatch(name, type, null));
      continue;
    }
    const ready = fitted(value, type, { at: name, depth: 0 });
    if (isMisfit(ready)) {
      problems.push(...ready.problems);
      continue;
    }
    values[name] = ready.value;
    files.push(...ready.files);
  }
  return { values, files, problems };
}

interface Where {
  readonly at: string;
  readonly depth: number;
}

function fitted(value: unknown, type: PortType, where: Where): Fitted {
  if (where.depth > DEPTH_MAX) return { problems: [`port ${where.at}: nested too deeply`] };
  switch (type.kind) {
    case 'any':
      return fitAny(value, where);
    case 'simple':
      if (type.name === 'File' || type.name === 'Directory') return fitFile(value, type.name, where);
      return isSimple(value, type.name) ? { value, files: [] } : misfit(value, type, where);
    case 'enum':
      return type.symbols.some((symbol) => symbol === value)
        ? { value, files: [] }
        : misfit(value, type, where);
    case 'array':
      if (!Array.isArray(value)) return misfit(value, type, where);
      return joined(
        value.map((item, index) => fitted(item, type.items, inside(where, `[${index}]`))),
        (items) => items,
      );
    case 'record':
      return isObject(value) ? fitRecord(value, type, where) : misfit(value, type, where);
    case 'union': {
      const tried = type.types.map((each) => fitted(value, each, where));
      const [only, ...others] = valueTypes(type);
      return (
        tried.find((each) => !isMisfit(each)) ??
        (only !== undefined && others.length === 0 ? fitted(value, only, where) : misfit(value, type, where))
      );
    }
  }
}

function fitRecord(
  value: Readonly<Record<string, unknown>>,
  { fields }: Extract<PortType, { readonly kind: 'record' }>,
  where: Where,
): Fitted {
  const names = fields.map(({ name }) => name);
  const unknown = Object.keys(value).filter((name) => !names.includes(name));
  if (unknown.length > 0)
    return { problems: unknown.map((name) => unknownPort(`${where.at}.${name}`, names)) };
  return joined(
    fields.map(({ name, type }) => fitted(value[name] ?? null, type, inside(where, `.${name}`))),
    (values) => Object.fromEntries(names.map((name, index) => [name, values[index]])),
  );
}

/** Files in a value of no known type are files all the same. */
function fitAny(value: unknown, where: Where): Fitted {
  if (isFileLike(value)) return fitFile(value, value.class, where);
  if (Array.isArray(value))
    return joined(
      value.map((item, index) => fitted(item, ANY, inside(where, `[${index}]`))),
      (items) => items,
    );
  if (!isObject(value)) return { value, files: [] };
  const names = Object.keys(value);
  return joined(
    names.map((name) => fitted(value[name], ANY, inside(where, `.${name}`))),
    (values) => Object.fromEntries(names.map((name, index) => [name, values[index]])),
  );
}

const ANY: PortType = { kind: 'any', name: 'Any' };

/** A path alone is enough. */
function fitFile(value: unknown, wanted: FileInput['class'], where: Where): Fitted {
  const type: PortType = { kind: 'simple', name: wanted };
  const given = typeof value === 'string' ? { class: wanted, path: value } : value;
  if (!isFileLike(given) || given.class !== wanted) return misfit(value, type, where);
  const path = given['path'] ?? given['location'];
  if (typeof path !== 'string' || path === '') {
    return { problems: [`port ${where.at}: expects ${wanted}, got one without a path`] };
  }
  const { secondaryFiles } = given;
  if (!Array.isArray(secondaryFiles)) {
    const file: FileInput = { class: wanted, path };
    return { value: file, files: [{ at: where.at, file }] };
  }
  const more = joined(
    secondaryFiles.map((each, index) => fitAny(each, inside(where, `.secondaryFiles[${index}]`))),
    (items) => items,
  );
  if (isMisfit(more)) return more;
  const file: FileInput = { class: wanted, path, secondaryFiles: more.value as readonly FileInput[] };
  return { value: file, files: [{ at: where.at, file }, ...more.files] };
}

function isFileLike(value: unknown): value is Readonly<Record<string, unknown>> & Pick<FileInput, 'class'> {
  return isObject(value) && (value['class'] === 'File' || value['class'] === 'Directory');
}

function isSimple(value: unknown, name: string): boolean {
  switch (name) {
    case 'null':
      return value === null;
    case 'boolean':
      return typeof value === 'boolean';
    case 'string':
      return typeof value === 'string' && exactNumber(value) === undefined;
    case 'int':
    case 'long':
      return /^-?\d+$/.test(exactNumber(value) ?? '');
    default:
      return exactNumber(value) !== undefined;
  }
}

function joined(parts: readonly Fitted[], make: (values: readonly unknown[]) => unknown): Fitted {
  const problems = parts.flatMap((part) => (isMisfit(part) ? part.problems : []));
  if (problems.length > 0) return { problems };
  const ready = parts.flatMap((part) => (isMisfit(part) ? [] : [part]));
  return { value: make(ready.map(({ value }) => value)), files: ready.flatMap(({ files }) => files) };
}

function inside({ at, depth }: Where, step: string): Where {
  return { at: at + step, depth: depth + 1 };
}

function isMisfit(ready: Fitted): ready is Misfit {
  return 'problems' in ready;
}

function misfit(value: unknown, type: PortType, { at }: Where): Misfit {
  return { problems: [mismatch(at, type, value)] };
}

function mismatch(at: string, type: PortType, value: unknown): string {
  return `port ${at}: expects ${describeType(type)}, got ${describeValue(value)}`;
}

function unknownPort(name: string, names: readonly string[]): string {
  const nearest = nearestWords(name, names, 5);
  const there = nearest.length === 0 ? 'it has no inputs' : `there is ${nearest.join(', ')}`;
  return `port ${name}: the app has no such input; ${there}`;
}

function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  const number = exactNumber(value);
  if (number !== undefined) return `the number ${number}`;
  if (typeof value === 'string') return `the text ${JSON.stringify(value)}`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isFileLike(value)) return `a ${value.class}`;
  return typeof value === 'object' ? 'an object' : String(value);
}
