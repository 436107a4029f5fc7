import { randomUUID } from 'node:crypto';
import type { Api } from '../api/api.ts';
import type { Place } from '../api/call-options.ts';
import { ApiError, TransportError } from '../api/errors.ts';
import type { FileRecord } from '../api/model.ts';
import { messageOf } from '../lib/message-of.ts';
import { TransferRefused } from './job-error.ts';
import type { Plan } from './plan.ts';
import type { CopyAnnotations } from './ports.ts';
import type { RunContext } from './run-context.ts';

/**
 * A copy of a file inside the platform. The copy call takes no name that is taken: to replace a file, the copy gets
 * a name of its own and is renamed over it, which needs capability `rename_overwrite`.
 */
export async function runCopy(
  plan: Extract<Plan, { kind: 'copy' }>,
  context: RunContext,
): Promise<FileRecord> {
  const { api, signal } = context;
  const { file, to } = plan;
  const place = { ...to, ...(await annotationsOf(plan, context)) };
  const taken = plan.overwrite && (await api.files.find(to, { signal })) !== undefined;
  if (!taken) {
    return api.files.copy(file, place, { signal });
  }
  if (!(await api.capabilities({ signal })).has('rename_overwrite')) {
    throw new TransferRefused('target-exists', `the platform cannot replace ${to.name} by a copy`);
  }
  const copy = await api.files.copy(file, { ...place, name: `.copy-${randomUUID()}` });
  try {
    return await api.files.edit(copy.id, { name: to.name }, { overwrite: true });
  } catch (error) {
    return afterFailure(copy, { to, error, api });
  }
}

/** What the copy call takes along: nothing, where the service does not offer that. */
async function annotationsOf(
  { annotations }: Extract<Plan, { kind: 'copy' }>,
  { api, signal }: RunContext,
): Promise<Partial<CopyAnnotations>> {
  if (annotations === undefined) return {};
  return (await api.capabilities({ signal })).has('copy_annotations') ? annotations : {};
}

/** Whether the copy took the name is asked first: when only the answer was lost, what has the name is the copy. */
async function afterFailure(
  copy: FileRecord,
  { to, error, api }: { readonly to: Place; readonly error: unknown; readonly api: Api },
): Promise<FileRecord> {
  const now = await api.files.get(copy.id).catch((unasked: unknown) => {
    throw isMissing(unasked) ? error : left(copy, error);
  });
  if (now.kind === 'file' && now.parent === to.parent && now.name === to.name) {
    return now;
  }
  await api.files.delete(copy.id).catch(() => {});
  throw error;
}

function isMissing(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

function left(copy: FileRecord, cause: unknown): TransportError {
  const before = messageOf(cause);
  const reason = `${before}; a copy may be left in the folder, as ${copy.name}`;
  return new TransportError(reason, { call: 'PATCH /files/{id}', cause });
}
