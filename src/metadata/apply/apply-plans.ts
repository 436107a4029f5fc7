import type { BulkResult, EntryRecord, FileRecord } from '../../api/model.ts';
import { BULK_ITEMS_MAX } from '../../contract/limits.ts';
import { inGroups } from '../../lib/in-groups.ts';
import { PRIORITY } from '../../places/asking.ts';
import type { MetadataApi } from '../metadata-api.ts';
import { type ChangePlan, changed, erases, type RowPlan } from '../plan/row-plan.ts';
import { rowHash } from '../row-hash.ts';
import type { Outcome, RowResult } from './results.ts';

export interface Applying {
  readonly api: MetadataApi;
  /** Ends between two calls. */
  readonly signal: AbortSignal;
  /** Told after each call of rows that are dealt with. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Told of files as they are after a change. */
  readonly onChanged?: ((files: readonly FileRecord[]) => Promise<void>) | undefined;
}

export interface Applied {
  /** In the order of the plans. */
  readonly results: readonly RowResult[];
  /** Why it ended early: the failure of a call, or the signal's reason. */
  readonly stopped: unknown;
}

/**
 * Sends the changes, 100 files a call. The platform merges pairs; where one is erased it replaces all, which are read just
 * before. All or nothing cannot be had: a failed call ends it, and each row tells what became of it.
 */
export async function applyPlans(plans: readonly RowPlan[], applying: Applying): Promise<Applied> {
  const changes = plans.filter((plan) => plan.kind === 'change');
  const results = new Map<RowPlan, RowResult>();
  const calls = [
    ...inGroups(
      changes.filter((plan) => !erases(plan)),
      BULK_ITEMS_MAX,
    ).map((group) => ({ group, send: sendMerge })),
    ...inGroups(changes.filter(erases), BULK_ITEMS_MAX).map((group) => ({ group, send: sendReplacement })),
  ];
  let stopped: unknown;
  for (const { group, send } of calls) {
    if (applying.signal.aborted) {
      stopped = applying.signal.reason;
      break;
    }
    try {
      const done = await send(group, applying.api);
      for (const result of done) results.set(result.plan, result);
      await applying.onChanged?.(filesOf(done));
      applying.onProgress?.(results.size, changes.length);
    } catch (error) {
      stopped = error;
      // It was taken back before it was sent.
      if (applying.signal.aborted && error === applying.signal.reason) break;
      const detail = `the call failed: ${error instanceof Error ? error.message : error}; run it again`;
      for (const plan of group)
        if (!results.has(plan)) results.set(plan, { plan, outcome: 'failed', detail });
      break;
    }
  }
  return { results: plans.map((plan) => results.get(plan) ?? resultWithoutCall(plan)), stopped };
}

function resultWithoutCall(plan: RowPlan): RowResult {
  if (plan.kind === 'conflict') return { plan, outcome: 'conflict', detail: plan.reason };
  return { plan, outcome: plan.kind === 'unchanged' ? 'unchanged' : 'not sent' };
}

async function sendMerge(group: readonly ChangePlan[], api: MetadataApi): Promise<readonly Sent[]> {
  const items = group.map(({ file, changes }) => {
    const pairs = changes.flatMap((change) =>
      change.kind === 'pair' ? [[change.key, change.after ?? '']] : [],
    );
    const tags = changes.find((change) => change.kind === 'tags')?.after;
    return {
      id: file.id,
      ...(pairs.length > 0 && { metadata: Object.fromEntries(pairs) }),
      ...(tags !== undefined && { tags }),
    };
  });
  return resultsOf(group, await api.files.bulkEdit(items, { priority: PRIORITY }));
}

/** One request to read, one to write. A change of others meanwhile is a conflict. */
async function sendReplacement(group: readonly ChangePlan[], api: MetadataApi): Promise<readonly Sent[]> {
  const current = await api.files.bulkGet(
    group.map(({ file }) => file.id),
    { priority: PRIORITY },
  );
  const others: Sent[] = [];
  const sent: ChangePlan[] = [];
  const items = group.flatMap((plan, index) => {
    const found = current[index];
    if (found?.ok !== true) {
      others.push(failed(plan, found?.failure));
      return [];
    }
    if (found.value.kind !== 'file' || rowHash(found.value) !== rowHash(plan.file)) {
      others.push({
        plan,
        outcome: 'conflict',
        detail: 'changed on the platform while this ran; run it again',
      });
      return [];
    }
    sent.push(plan);
    const { tags, metadata } = changed(found.value, plan.changes);
    return [{ id: plan.file.id, tags, metadata }];
  });
  if (items.length === 0) return others;
  return [...others, ...resultsOf(sent, await api.files.bulkUpdate(items, { priority: PRIORITY }))];
}

interface Sent extends RowResult {
  readonly file?: FileRecord;
}

function resultsOf(
  group: readonly ChangePlan[],
  answers: readonly BulkResult<EntryRecord>[],
): readonly Sent[] {
  return group.map((plan, index): Sent => {
    const answer = answers[index];
    if (answer?.ok !== true) return failed(plan, answer?.failure);
    const file = answer.value.kind === 'file' ? answer.value : undefined;
    return { plan, outcome: 'done', now: file ?? changed(plan.file, plan.changes), ...(file && { file }) };
  });
}

function failed(
  plan: ChangePlan,
  failure: { readonly code: number; readonly status: number; readonly message: string } | undefined,
): Sent {
  if (failure === undefined) return { plan, outcome: 'failed', detail: 'the answer does not tell of it' };
  const outcome: Outcome = `failed ${failure.code || failure.status}`;
  return { plan, outcome, detail: failure.message };
}

function filesOf(sent: readonly Sent[]): readonly FileRecord[] {
  return sent.flatMap(({ file }) => (file ? [file] : []));
}
