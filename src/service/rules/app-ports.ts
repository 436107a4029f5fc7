import type { AppDocument } from '../../contract/app.ts';

/** An input or output of an app. */
export interface AppPort {
  readonly name: string;
  /** Must be given: its type takes no null, and it has no default. */
  readonly required: boolean;
  readonly takesList: boolean;
}

/** Ports are written as a list with ids or as an object by id (CWL v1.2, section 5.1, and drafts before). */
export function portsOf(document: AppDocument, kind: 'inputs' | 'outputs'): AppPort[] {
  const given = document[kind];
  if (Array.isArray(given))
    return given.filter(isObject).map((port) => portOf(String(port['id'] ?? ''), port));
  if (!isObject(given)) return [];
  return Object.entries(given).map(([id, port]) => portOf(id, isTyped(port) ? port : { type: port }));
}

function portOf(id: string, { type, default: standard }: AppDocument): AppPort {
  return {
    name: id.replace(/^.*[#/]/, ''),
    required: !takesNull(type) && (standard === undefined || standard === null),
    takesList: takesList(type),
  };
}

/** An object that describes a port, and is not itself the type of one, as an array or a record is. */
function isTyped(port: unknown): port is AppDocument {
  return (
    isObject(port) &&
    isObjectOrText(port['type']) &&
    !['array', 'record', 'enum'].includes(String(port['type']))
  );
}

function takesNull(type: unknown): boolean {
  if (typeof type === 'string') return type === 'null' || type === 'Any' || type.endsWith('?');
  return Array.isArray(type) && type.some(takesNull);
}

function takesList(type: unknown): boolean {
  if (typeof type === 'string') return /\[\]\??$/.test(type);
  if (Array.isArray(type)) return type.some(takesList);
  return isObject(type) && (type['type'] === 'array' || takesList(type['type']));
}

function isObjectOrText(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null);
}

function isObject(value: unknown): value is AppDocument {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
