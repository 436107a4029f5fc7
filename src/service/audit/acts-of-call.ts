import type { AuditedAct } from './audit-entry.ts';

/** A call as the audit log looks at it: parts of the request and the whole answer, of no known shape. */
export interface ServedCall {
  readonly action: string;
  readonly params: Fields;
  readonly query: Fields;
  readonly body: unknown;
  readonly answer: unknown;
  readonly status: number;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * What a call did, to which objects. The object is what the path names, else what the body names (the file of an export,
 * the volume of an import), else what was made. A bulk call did something to each of its entries, with an outcome of its
 * own where the answer tells one.
 */
export function actsOfCall(call: ServedCall): AuditedAct[] {
  const { action, body, answer, status } = call;
  const entries = entriesOf(fields(body));
  if (entries === undefined || Object.keys(call.params).length > 0) return [actOf(call, body, answer)];
  const outcomes = list(fields(answer)['items']);
  return entries.map((entry, n) => {
    const outcome = fields(outcomes?.[n] ?? fields(answer)[String(namedBy(entry))]);
    const error = fields(outcome['error']);
    const failed = outcome['error'] !== undefined || outcome['status'] === 'ERROR';
    const own = { ...call, status: failed ? Number(error['status'] ?? 400) : status };
    const made = outcomes === undefined ? answer : (outcome['error'] ?? outcome['resource']);
    return actOf({ ...own, action }, entry, made);
  });
}

function actOf({ action, params, query, status }: ServedCall, given: unknown, answer: unknown): AuditedAct {
  const { username, revision, part_number, ...path } = params;
  const inPath = Object.values(path).join('/');
  const answered = fields(answer);
  const refused = status >= 400;
  const made = refused ? undefined : text(answered['id'] ?? answered['upload_id'] ?? answered['new_file_id']);
  const object = inPath === '' ? (namedBy(given) ?? made) : inPath;
  return {
    action,
    object,
    status,
    code: refused && typeof answered['code'] === 'number' ? answered['code'] : undefined,
    detail: {
      ...given_({ username, revision, part_number, location: query['location'] }),
      ...idsIn(given),
      ...(made === undefined || made === object ? {} : { made }),
    },
  };
}

/** Entries of a bulk body. */
function entriesOf({ items, file_ids }: Fields): readonly unknown[] | undefined {
  return list(items) ?? list(file_ids);
}

/** The id of what a body, or an entry of a bulk body, is about. */
function namedBy(given: unknown): string | undefined {
  if (typeof given === 'string') return given;
  const { source, file, file_id, id } = fields(given);
  const { file: exported, volume, volume_id } = fields(source);
  return text(exported ?? volume ?? volume_id ?? file ?? file_id ?? id);
}

/** Fields of a body that hold an id, a permission or a switch. Never a name, which may tell what a file is about. */
const TOLD = [
  'username',
  'permissions',
  'project',
  'parent',
  'billing_group',
  'access_mode',
  'active',
  'app',
  'overwrite',
];

function idsIn(given: unknown): Fields {
  const all = fields(given);
  const { project, parent, volume } = fields(all['destination']);
  return given_({
    ...Object.fromEntries(TOLD.map((name) => [name, all[name]])),
    ...given_({ project, parent, volume }),
  });
}

/** Those that were given. */
function given_(all: Fields): Fields {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== null));
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function list(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
