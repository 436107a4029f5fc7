import { isObject, lastPart, type PortType, portType, takesNull } from './port-type.ts';

/** An input of an app. */
export interface InputPort {
  readonly name: string;
  readonly type: PortType;
  /** Undefined: it has none. */
  readonly default: unknown;
  /** Must be given: its type takes no null, and it has no default. */
  readonly required: boolean;
  readonly description: string;
}

/** The inputs in the document of an app, in its order: a list with ids, or an object by them. */
export function inputPorts(raw: Readonly<Record<string, unknown>>): readonly InputPort[] {
  const { inputs } = raw;
  if (Array.isArray(inputs))
    return inputs.filter(isObject).map((port) => portOf(String(port['id'] ?? ''), port));
  return Object.entries(isObject(inputs) ? inputs : {}).map(([id, port]) =>
    portOf(id, isPort(port) ? port : { type: port }),
  );
}

function portOf(id: string, port: Readonly<Record<string, unknown>>): InputPort {
  const type = portType(port['type']);
  const standard = port['default'] ?? undefined;
  return {
    name: lastPart(id),
    type,
    default: standard,
    required: !takesNull(type) && standard === undefined,
    description: textOf(port['doc'] ?? port['description'] ?? port['label']),
  };
}

/** An object that describes a port, and is not itself the type of one, as an array or a record is. */
function isPort(port: unknown): port is Readonly<Record<string, unknown>> {
  return isObject(port) && !['array', 'record', 'enum'].includes(String(port['type']));
}

/** A text may be written as a list of lines. */
function textOf(written: unknown): string {
  return Array.isArray(written) ? written.join('\n') : typeof written === 'string' ? written : '';
}
