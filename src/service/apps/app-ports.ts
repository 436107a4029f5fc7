import type { AppDocument } from '../../contract/app.ts';
import { type SecondaryPattern, secondaryPatterns } from './secondary-names.ts';

/** An input or output of an app. */
export interface AppPort {
  readonly name: string;
  /** Must be given: its type takes no null, and it has no default. */
  readonly required: boolean;
  readonly takesList: boolean;
  /** Files that belong to each of its files. */
  readonly secondaryFiles: readonly SecondaryPattern[];
}

export function portsOf(document: AppDocument, kind: 'inputs' | 'outputs'): AppPort[] {
  return namedPorts(document, kind).map(({ name, port }) => portOf(name, port));
}

/**
 * Each port as its document describes it. They are written as a list with ids or as an object by id (CWL v1.2, section
 * 5.1, and drafts before).
 */
export function namedPorts(
  document: AppDocument,
  kind: 'inputs' | 'outputs',
): { readonly name: string; readonly port: AppDocument }[] {
  const given = document[kind];
  if (Array.isArray(given)) {
    return given.filter(isObject).map((port) => ({ name: nameOf(String(port['id'] ?? '')), port }));
  }
  if (!isObject(given)) return [];
  return Object.entries(given).map(([id, port]) => ({
    name: nameOf(id),
    port: isTyped(port) ? port : { type: port },
  }));
}

/** Packed documents write the name of the process before that of the port. */
function nameOf(id: string): string {
  return id.replace(/^.*[#/]/, '');
}

function portOf(name: string, { type, default: standard, secondaryFiles }: AppDocument): AppPort {
  return {
    name,
    required: !takesNull(type) && (standard === undefined || standard === null),
    takesList: takesList(type),
    secondaryFiles: secondaryPatterns(secondaryFiles),
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
