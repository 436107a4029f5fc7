import { BULK_ITEMS_MAX } from '../../../contract/limits.ts';
import { isPossibleId } from '../../http/possible-id.ts';
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
 * The acts of a call, each on one object. The path names the object, else the body does (the file of an export, the
 * volume of an import), else it is the object that was made. A bulk call did something to each of its entries, with an
 * outcome of its own where the answer tells one.
 */
export function actsOfCall(call: ServedCall): AuditedAct[] {
  const { body, answer, status } = call;
  const entries = entriesOf(fields(body));
  if (entries === undefined || Object.keys(call.params).length > 0) return [actOf(call, body, answer)];
  return entries.map((entry, n) => {
    const { failure, made } = outcomeOf(answer, entry, n);
    return actOf({ ...call, status: failure?.status ?? status }, entry, failure ?? made);
  });
}

/**
 * The outcome of one entry of a bulk call. Most calls answer `items`, each a resource or an error. One answers an object
 * by the ids it was given. A call that only submits a job answers the job, for all entries.
 */
function outcomeOf(
  answer: unknown,
  entry: unknown,
  n: number,
): { readonly failure?: Fields & { readonly status: number }; readonly made?: unknown } {
  const item = list(fields(answer)['items'])?.[n] ?? fields(answer)[String(namedBy(entry))];
  if (item === undefined) return { made: answer };
  const { error, status, resource } = fields(item);
  if (error !== undefined) return { failure: { ...fields(error), status: Number(fields(error)['status']) } };
  if (status === 'ERROR') return { failure: { status: 400 } };
  return { made: resource ?? item };
}

function actOf({ action, params, query, status }: ServedCall, asked: unknown, answer: unknown): AuditedAct {
  const { username, revision, part_number, ...path } = params;
  const inPath = Object.values(path).join('/');
  const answered = fields(answer);
  const refused = status >= 400;
  const made = refused ? undefined : text(answered['id'] ?? answered['upload_id'] ?? answered['new_file_id']);
  const object = inPath === '' ? (namedBy(asked) ?? made) : inPath;
  const detail = {
    ...given({ username, revision, part_number, location: query['location'] }),
    ...idsIn(asked),
  };
  const isTold = made === undefined || made === object || Object.values(detail).includes(made);
  return {
    action,
    object,
    status,
    code: refused && typeof answered['code'] === 'number' ? answered['code'] : undefined,
    detail: isTold ? detail : { ...detail, made },
  };
}

/** Entries of a bulk body. Of more than are allowed none was looked at. */
function entriesOf({ items, file_ids }: Fields): readonly unknown[] | undefined {
  const entries = list(items) ?? list(file_ids);
  return entries !== undefined && entries.length <= BULK_ITEMS_MAX ? entries : undefined;
}

/** The id of what a body, or an entry of a bulk body, is about. */
function namedBy(asked: unknown): string | undefined {
  if (typeof asked === 'string') return text(asked);
  const { source, file, file_id, id } = fields(asked);
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

function idsIn(asked: unknown): Fields {
  const all = fields(asked);
  const { project, parent, volume } = fields(all['destination']);
  return given({
    ...Object.fromEntries(TOLD.map((name) => [name, all[name]])),
    ...given({ project, parent, volume }),
  });
}

/** Those that were given. */
function given(all: Fields): Fields {
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined && value !== null));
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function list(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined;
}

/** Undefined for what is no id: a refused body may hold anything. */
function text(value: unknown): string | undefined {
  return typeof value === 'string' && isPossibleId(value) ? value : undefined;
}
