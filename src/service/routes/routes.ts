import type { App } from '../http/fastify-types.ts';
import type { Services } from '../services.ts';
import { appDocumentRoutes } from './app-documents.ts';
import { appRoutes } from './apps.ts';
import { asyncFileRoutes } from './async-files.ts';
import { billingRoutes } from './billing.ts';
import { billingBreakdownRoutes } from './billing-breakdowns.ts';
import { bulkFileRoutes } from './bulk-files.ts';
import { exportRoutes } from './exports.ts';
import { feedbackRoutes } from './feedback.ts';
import { fileActionRoutes } from './file-actions.ts';
import { fileScrollRoutes } from './file-scroll.ts';
import { fileSearchRoutes } from './file-search.ts';
import { fileRoutes } from './files.ts';
import { importRoutes } from './imports.ts';
import { internalStatsRoutes } from './internal-stats.ts';
import { projectMemberRoutes } from './project-members.ts';
import { projectRoutes } from './projects.ts';
import { rootRoutes } from './root.ts';
import { storageRoutes } from './storage.ts';
import { storageInputRoutes } from './storage-inputs.ts';
import { storageObjectRoutes } from './storage-objects.ts';
import { taskActionRoutes } from './task-actions.ts';
import { taskRoutes } from './tasks.ts';
import { uploadInlineRoutes } from './upload-inline.ts';
import { uploadPartRoutes } from './upload-parts.ts';
import { uploadRoutes } from './uploads.ts';
import { userRoutes } from './users.ts';
import { volumeContentsRoutes } from './volume-contents.ts';
import { volumeMemberRoutes } from './volume-members.ts';
import { volumeRoutes } from './volumes.ts';

/** Every call of the API; paths are below `/v2`. */
export function apiRoutes(app: App, services: Services): void {
  rootRoutes(app, services);
  userRoutes(app, services);
  feedbackRoutes(app, services);
  projectRoutes(app, services);
  projectMemberRoutes(app, services);
  fileRoutes(app, services);
  fileScrollRoutes(app, services);
  fileSearchRoutes(app, services);
  fileActionRoutes(app, services);
  uploadRoutes(app, services);
  uploadPartRoutes(app, services);
  uploadInlineRoutes(app, services);
  bulkFileRoutes(app, services);
  asyncFileRoutes(app, services);
  volumeRoutes(app, services);
  volumeContentsRoutes(app, services);
  volumeMemberRoutes(app, services);
  importRoutes(app, services);
  exportRoutes(app, services);
  appRoutes(app, services);
  appDocumentRoutes(app, services);
  taskRoutes(app, services);
  taskActionRoutes(app, services);
  billingRoutes(app, services);
  billingBreakdownRoutes(app, services);
}

/** What the service serves beside the API: bytes by signed address, and counters for tests. */
export function localRoutes(
  app: App,
  services: Services,
  options: { readonly internalStats: boolean },
): void {
  storageRoutes(app, services);
  storageObjectRoutes(app, services);
  storageInputRoutes(app, services);
  if (options.internalStats) internalStatsRoutes(app, services);
}
