import type { CopyAppBody } from '../../contract/app.ts';
import { APP_COPY_STRATEGIES, type AppCopyStrategy } from '../../contract/words.ts';
import type { HasClock } from '../../lib/clock.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import { demand, permissionsIn } from '../members/members.ts';
import { shortNameOf } from '../projects/projects.ts';
import { toStorableText } from '../store/storable-text.ts';
import type { HasStore, Store } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { appFor, revisionOf } from './app-access.ts';
import { checkAppShortName } from './app-id.ts';
import type { AppRevisionRow, AppRow } from './app-table.ts';
import { appsIn } from './app-table.ts';

interface AppCopy {
  readonly id: string;
  /** Up to which revision. Default: the newest. */
  readonly revision?: number | undefined;
  readonly to: CopyAppBody;
}

/**
 * Copies an app into a project. `clone` and `clone_direct` take all revisions, the others the newest alone; `clone` and
 * `transient` take updates from where the copied app takes them, the others from the copied app itself.
 *
 * @throws ServiceError 6002, 6001, 6004, 3002, 6005, 6010, 6003
 */
export async function copyApp(
  { store, clock }: HasStore & HasClock,
  caller: Caller,
  copy: AppCopy,
): Promise<AppRow> {
  const { app: source, permissions } = await appFor(store, caller, copy.id);
  demand(permissions, 'copy', 6001);
  const strategy = strategyOf(copy.to.strategy);
  const { project } = copy.to;
  if (!project) throw new ServiceError(6004);
  demand(await permissionsIn(store, caller, { id: project, malformed: 6004 }), 'write', 6001);
  const { id, name } = nameOf(source, project, copy.to.name);
  const now = storedTime(clock.now());
  const revisions = await copiedRevisions(store, source, { id, strategy, upTo: copy.revision, now, caller });
  const ofSource = { copy_of: source.id, copy_of_revision: copy.revision ?? source.latest_revision };
  const ofOriginal = { copy_of: source.copy_of, copy_of_revision: source.copy_of_revision };
  const direct = strategy === 'direct' || strategy === 'clone_direct' || source.copy_of === null;
  const app: AppRow = {
    ...source,
    id,
    name,
    project_id: project,
    latest_revision: revisions.at(-1)?.revision ?? 0,
    is_public: 0,
    created_on: now,
    search_text: `${name.toLowerCase()}\n${source.search_text ?? ''}`,
    ...(direct ? ofSource : ofOriginal),
  };
  return store.transaction(async (tx) => {
    if ((await appsIn(tx).find(id)) !== undefined) throw new ServiceError(6003);
    await appsIn(tx).insert(app, revisions);
    return app;
  });
}

function strategyOf(word: string | null | undefined): AppCopyStrategy {
  if (!word) return 'clone';
  const strategy = APP_COPY_STRATEGIES.find((known) => known === word.toLowerCase());
  if (strategy === undefined) throw new ServiceError(6010);
  return strategy;
}

/** A new name gives a new short name; without one both stay. */
function nameOf(
  source: AppRow,
  project: string,
  given: string | null | undefined,
): { readonly id: string; readonly name: string } {
  const shortName = given ? shortNameOf(given) : source.id.slice(source.project_id.length + 1);
  return {
    id: `${project}/${checkAppShortName(shortName)}`,
    name: given ? toStorableText(given) : source.name,
  };
}

async function copiedRevisions(
  store: Store,
  source: AppRow,
  copy: {
    readonly id: string;
    readonly strategy: AppCopyStrategy;
    readonly upTo: number | undefined;
    readonly now: string;
    readonly caller: Caller;
  },
): Promise<AppRevisionRow[]> {
  const { id, strategy, upTo = source.latest_revision, now, caller } = copy;
  const newest = await revisionOf(store, source, upTo);
  if (strategy === 'direct' || strategy === 'transient') {
    return [{ ...newest, app_id: id, revision: 0, created_by: caller.username, created_on: now }];
  }
  const all = await appsIn(store).revisions(source.id);
  return all.filter(({ revision }) => revision <= upTo).map((row) => ({ ...row, app_id: id }));
}
