import { randomId } from '../../../lib/random-id.ts';
import { toStorableText } from '../../store/storable-text.ts';
import { storedTime } from '../../store/stored-time.ts';
import type { AuditRow } from './audit-table.ts';

/** One act on one object. */
export interface AuditedAct {
  readonly action: string;
  readonly object: string | undefined;
  /** HTTP status, and the API's code of a refusal. */
  readonly status: number;
  readonly code?: number | undefined;
  /** Further ids and permissions: no names, no content, no credentials. */
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
}

/** The user, the time and the address of an act. */
export interface AuditContext {
  readonly atMs: number;
  readonly requestId: string;
  /** Orders what one process records in the same millisecond. */
  readonly sequence?: number | undefined;
  readonly username: string;
  readonly token?: string | undefined;
  readonly address?: string | undefined;
}

/** An id is no longer; what is comes from a request that was refused. */
const OBJECT_LENGTH_MAX = 300;
const DETAIL_LENGTH_MAX = 1000;
const SEQUENCE_DIGITS = 10;
const ITEM_DIGITS = 4;

/** The entries for what one request, job or command did, in its order. */
export function auditEntries(context: AuditContext, acts: readonly AuditedAct[]): AuditRow[] {
  const order = String(context.sequence ?? 0).padStart(SEQUENCE_DIGITS, '0');
  const unique = randomId();
  return acts.map(({ action, object, status, code, detail }, item) => ({
    at: storedTime(context.atMs),
    id: `${order}-${unique}-${String(item).padStart(ITEM_DIGITS, '0')}`,
    request_id: context.requestId,
    username: context.username,
    token: context.token ?? null,
    address: context.address ?? null,
    action,
    object: object === undefined ? null : toStorableText(object.slice(0, OBJECT_LENGTH_MAX)),
    status,
    code: code ?? null,
    detail: detailText(detail),
  }));
}

/** Tells a token from the others of its user, and is of no use to anybody else. */
export function tokenIdOf(hash: string): string {
  return hash.slice(0, TOKEN_ID_DIGITS);
}

const TOKEN_ID_DIGITS = 12;

function detailText(detail: AuditedAct['detail']): string | null {
  if (detail === undefined || Object.keys(detail).length === 0) return null;
  const text = JSON.stringify(detail);
  return text.length > DETAIL_LENGTH_MAX ? JSON.stringify({ omitted: text.length }) : text;
}
