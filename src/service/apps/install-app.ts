import type { AppDocument } from '../../contract/app.ts';
import type { HasClock } from '../../lib/clock.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import { demand, permissionsIn } from '../members/members.ts';
import type { HasStore } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { appFor } from './app-access.ts';
import { appName, checkDocument, revisionNotes, searchText } from './app-document.ts';
import { type AppPath, appIdOf, checkAppShortName } from './app-id.ts';
import type { AppRow } from './app-table.ts';
import { appsIn } from './app-table.ts';

/** Revision 0 of a new app. @throws ServiceError 6005, 6007, 6008, 3002, 6001, 6003 */
export async function installApp(
  { store, clock }: HasStore & HasClock,
  caller: Caller,
  install: { readonly path: AppPath; readonly document: AppDocument | null | undefined },
): Promise<AppRow> {
  const { path } = install;
  const shortName = checkAppShortName(path.app);
  const projectId = `${path.owner}/${path.project}`;
  demand(await permissionsIn(store, caller, { id: projectId, malformed: 6011 }), 'write', 6001);
  const document = checkDocument(install.document);
  const id = appIdOf(path);
  const now = storedTime(clock.now());
  const name = appName(document, shortName);
  const app: AppRow = {
    id,
    project_id: projectId,
    name,
    latest_revision: 0,
    is_public: 0,
    created_on: now,
    search_text: searchText(name, document),
    copy_of: null,
    copy_of_revision: null,
  };
  const written = { raw: JSON.stringify(document), created_by: caller.username, created_on: now };
  return store.transaction(async (tx) => {
    if ((await appsIn(tx).find(id)) !== undefined) throw new ServiceError(6003);
    await appsIn(tx).insert(app, [{ app_id: id, revision: 0, ...written, notes: revisionNotes(document) }]);
    return app;
  });
}

/** The next revision, which must follow the newest. @throws ServiceError 6002, 6001, 6007, 6008, 6003 */
export async function reviseApp(
  { store, clock }: HasStore & HasClock,
  caller: Caller,
  next: {
    readonly id: string;
    readonly revision: number;
    readonly document: AppDocument | null | undefined;
  },
): Promise<AppRow> {
  const { id, revision } = next;
  const { app, permissions } = await appFor(store, caller, id);
  demand(permissions, 'write', 6001);
  const document = checkDocument(next.document);
  const name = appName(document, app.name);
  const row = {
    app_id: id,
    revision,
    raw: JSON.stringify(document),
    created_by: caller.username,
    created_on: storedTime(clock.now()),
    notes: revisionNotes(document),
  };
  return store.transaction(async (tx) => {
    const present = await appsIn(tx).find(id);
    if (present === undefined) throw new ServiceError(6002);
    if (revision !== present.latest_revision + 1) {
      throw new ServiceError(6003, `The next revision of the app is ${present.latest_revision + 1}.`);
    }
    const changes = { name, search_text: searchText(name, document), latest_revision: revision };
    await appsIn(tx).addRevision(row, changes);
    return { ...present, ...changes };
  });
}
