/** Types of an app's ports, as CWL documents write them (CWL v1.2, CommandInputParameter), and drafts before. */

const SIMPLE = ['null', 'boolean', 'int', 'long', 'float', 'double', 'string', 'File', 'Directory'] as const;
export type SimpleName = (typeof SIMPLE)[number];

export type PortType =
  | { readonly kind: 'simple'; readonly name: SimpleName }
  | { readonly kind: 'array'; readonly items: PortType }
  | { readonly kind: 'record'; readonly fields: readonly RecordField[] }
  | { readonly kind: 'enum'; readonly symbols: readonly string[] }
  | { readonly kind: 'union'; readonly types: readonly PortType[] }
  /** `Any`, or one that the document defines elsewhere. */
  | { readonly kind: 'any'; readonly name: string };

export interface RecordField {
  readonly name: string;
  readonly type: PortType;
}

/** The type that a document writes as a name (`File[]?`), an object or a list of alternatives. */
export function portType(written: unknown): PortType {
  if (typeof written === 'string') return namedType(written);
  if (Array.isArray(written)) return unionOf(written.map(portType));
  if (!isObject(written)) return { kind: 'any', name: 'Any' };
  switch (written['type']) {
    case 'array':
      return { kind: 'array', items: portType(written['items']) };
    case 'record':
      return { kind: 'record', fields: fieldsOf(written['fields']) };
    case 'enum':
      return { kind: 'enum', symbols: symbolsOf(written['symbols']) };
    default:
      return portType(written['type']);
  }
}

/** A value may be left out. */
export function takesNull(type: PortType): boolean {
  if (type.kind === 'union') return type.types.some(takesNull);
  return type.kind === 'any' || (type.kind === 'simple' && type.name === 'null');
}

/** `File[]`, `int or string`; what may be left out has a `?`. */
export function describeType(type: PortType): string {
  switch (type.kind) {
    case 'simple':
    case 'any':
      return type.name;
    case 'array':
      return type.items.kind === 'union'
        ? `(${describeType(type.items)})[]`
        : `${describeType(type.items)}[]`;
    case 'record':
      return `record of ${type.fields.map(({ name }) => name).join(', ')}`;
    case 'enum':
      return `one of ${type.symbols.join(', ')}`;
    case 'union': {
      const text = valueTypes(type).map(describeType).join(' or ');
      return takesNull(type) ? `${text}?` : text;
    }
  }
}

/** The alternatives that are values. */
export function valueTypes(type: PortType): readonly PortType[] {
  const types = type.kind === 'union' ? type.types : [type];
  return types.filter((each) => each.kind !== 'simple' || each.name !== 'null');
}

function namedType(name: string): PortType {
  if (name.endsWith('?')) return unionOf([{ kind: 'simple', name: 'null' }, namedType(name.slice(0, -1))]);
  if (name.endsWith('[]')) return { kind: 'array', items: namedType(name.slice(0, -2)) };
  const simple = SIMPLE.find((known) => known === name);
  if (simple !== undefined) return { kind: 'simple', name: simple };
  return name === 'stdin' ? { kind: 'simple', name: 'File' } : { kind: 'any', name };
}

function unionOf(types: readonly PortType[]): PortType {
  const flat = types.flatMap((type) => (type.kind === 'union' ? type.types : [type]));
  const [first] = flat;
  return flat.length === 1 && first !== undefined ? first : { kind: 'union', types: flat };
}

function fieldsOf(written: unknown): readonly RecordField[] {
  if (Array.isArray(written))
    return written
      .filter(isObject)
      .map(({ name, type }) => ({ name: lastPart(String(name)), type: portType(type) }));
  return Object.entries(isObject(written) ? written : {}).map(([name, type]) => ({
    name: lastPart(name),
    type: portType(type),
  }));
}

function symbolsOf(written: unknown): readonly string[] {
  return Array.isArray(written) ? written.map((symbol) => lastPart(String(symbol))) : [];
}

/** Packed documents write the name of what a thing is in before its own. */
export function lastPart(id: string): string {
  return id.replace(/^.*[#/]/, '');
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
