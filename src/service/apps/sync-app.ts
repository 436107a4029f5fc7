import type { AppDocument } from '../../contract/app.ts';
import type { HasClock } from '../../lib/clock.ts';
import type { Caller } from '../http/caller.ts';
import { ServiceError } from '../http/service-error.ts';
import { demand } from '../members/members.ts';
import type { HasStore } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { appFor, revisionOf } from './app-access.ts';
import { appName, searchText } from './app-document.ts';
import type { AppRow } from './app-table.ts';
import { appsIn } from './app-table.ts';

/** Takes the newest revision of the original over, if it is newer than what is here. @throws ServiceError 6002, 6001, 6009 */
export async function syncApp(
  { store, clock }: HasStore & HasClock,
  caller: Caller,
  id: string,
): Promise<AppRow> {
  const { app, permissions } = await appFor(store, caller, id);
  demand(permissions, 'write', 6001);
  if (app.copy_of === null) throw new ServiceError(6009, 'The app is no copy of another.');
  const { app: original, permissions: there } = await appFor(store, caller, app.copy_of);
  demand(there, 'copy', 6001);
  const newest = await revisionOf(store, original);
  const document: AppDocument = JSON.parse(newest.raw);
  const now = storedTime(clock.now());
  return store.transaction(async (tx) => {
    const present = await appsIn(tx).find(id);
    if (present === undefined) throw new ServiceError(6002);
    if ((present.copy_of_revision ?? -1) >= newest.revision) return present;
    const name = appName(document, present.name);
    const changes = {
      name,
      search_text: searchText(name, document),
      copy_of_revision: newest.revision,
      latest_revision: present.latest_revision + 1,
    };
    const written = { created_by: caller.username, created_on: now };
    await appsIn(tx).addRevision(
      { ...newest, ...written, app_id: id, revision: changes.latest_revision },
      changes,
    );
    return { ...present, ...changes };
  });
}
