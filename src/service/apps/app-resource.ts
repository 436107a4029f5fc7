import type { AppDocument, AppResource } from '../../contract/app.ts';
import type { FieldSelector } from '../http/field-selector.ts';
import type { RequestView } from '../http/request-view.ts';
import type { Store } from '../store/store.ts';
import { revisionOf } from './app-access.ts';
import { filledDocument } from './app-document.ts';
import type { AppRow } from './app-table.ts';
import { appsIn } from './app-table.ts';

/** The document of a revision, filled. @param revision The newest when left out. @throws ServiceError 6002 */
export async function appDocument(store: Store, app: AppRow, revision?: number): Promise<AppDocument> {
  const row = await revisionOf(store, app, revision);
  const revisions = await appsIn(store).revisionNotes(app.id);
  return filledDocument(JSON.parse(row.raw), { app, revision: row.revision, revisions });
}

/** One revision. @throws ServiceError 6002 */
export async function appAnswer(
  store: Store,
  app: AppRow,
  {
    view,
    revision = app.latest_revision,
  }: { readonly view: RequestView; readonly revision?: number | undefined },
): Promise<AppResource> {
  const id = `${app.id}/${revision}`;
  const raw = await appDocument(store, app, revision);
  return { href: view.href(`/apps/${id}`), id, project: app.project_id, name: app.name, revision, raw };
}

/** Apps of a list: themselves, not a revision. Documents are read only when the answer shows them. */
export async function appItems(
  store: Store,
  apps: readonly AppRow[],
  { view, selector }: { readonly view: RequestView; readonly selector: FieldSelector },
): Promise<AppResource[]> {
  const shown = selector.wants('raw', []);
  return Promise.all(
    apps.map(async (app) => ({
      href: view.href(`/apps/${app.id}`),
      id: app.id,
      project: app.project_id,
      name: app.name,
      revision: app.latest_revision,
      raw: shown ? await appDocument(store, app) : {},
    })),
  );
}
