/** What is told of an app from its document: its inputs, as a table and as an example. */
import type { PlatformRecord } from '../../../api/api.ts';
import { printExactly } from '../../../lib/exact-json.ts';
import { tsvLine } from '../../../metadata/format/tsv.ts';
import { describeType, type PortType, takesNull, valueTypes } from '../../../tasks/port-type.ts';
import { inputPorts } from '../../../tasks/ports.ts';

/** The document of the revision; undefined: the record has none. */
export function documentOf({ raw }: PlatformRecord): PlatformRecord | undefined {
  return isRecord(raw) ? raw : undefined;
}

/** When the document was changed, in milliseconds; as `svc:` or `sbg:` writes it. */
export function modifiedMsOf(document: PlatformRecord | undefined): number | undefined {
  return milliseconds(document && ownKey(document, 'modifiedOn'));
}

const COLUMNS = ['port', 'type', 'required', 'default', 'description'];

export function inputsTable(document: PlatformRecord): string {
  const lines = inputPorts(document).map(({ name, type, required, default: standard, description }) =>
    tsvLine([
      name,
      describeType(type),
      String(required),
      standard === undefined ? '' : printExactly(standard),
      description,
    ]),
  );
  return tsvLine(COLUMNS) + lines.join('');
}

/**
 * Inputs of a task as `svcfs tasks create --inputs` takes them: a default where there is one, else something of the type.
 *
 * @param project Where the paths of files are, `owner/name`. They hold wherever a copy of the example is.
 */
export function exampleInputs(document: PlatformRecord, project: string): PlatformRecord {
  return Object.fromEntries(
    inputPorts(document).map(({ name, type, default: standard }) => [
      name,
      standard ?? exampleOf(type, project),
    ]),
  );
}

function exampleOf(type: PortType, project: string): unknown {
  switch (type.kind) {
    case 'simple':
      if (type.name === 'File') return { class: 'File', path: `project:${project}/FILE` };
      if (type.name === 'Directory') return { class: 'Directory', path: `project:${project}/FOLDER` };
      return SIMPLE[type.name];
    case 'array':
      return [exampleOf(type.items, project)];
    case 'record':
      return Object.fromEntries(type.fields.map((field) => [field.name, exampleOf(field.type, project)]));
    case 'enum':
      return type.symbols[0] ?? 'SYMBOL';
    case 'union': {
      // What may be left out is.
      const [first] = valueTypes(type);
      return takesNull(type) || first === undefined ? null : exampleOf(first, project);
    }
    case 'any':
      return null;
  }
}

const SIMPLE = {
  null: null,
  boolean: false,
  int: 0,
  long: 0,
  float: 0.5,
  double: 0.5,
  string: 'TEXT',
} as const;

/** Of a key `svc:NAME` or `sbg:NAME`: which, the platform's dialect says. */
function ownKey(document: PlatformRecord, name: string): unknown {
  return document[`svc:${name}`] ?? document[`sbg:${name}`];
}

function milliseconds(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds * 1000 : undefined;
}

function isRecord(value: unknown): value is PlatformRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
