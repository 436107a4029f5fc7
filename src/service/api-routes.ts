import { appDocumentRoutes } from './apps/app-document-routes.ts';
import { appRoutes } from './apps/app-routes.ts';
import { billingBreakdownRoutes } from './billing/billing-breakdown-routes.ts';
import { billingRoutes } from './billing/billing-routes.ts';
import { asyncFileRoutes } from './file-jobs/file-job-routes.ts';
import { bulkFileRoutes } from './files/bulk-file-routes.ts';
import { fileActionRoutes } from './files/file-action-routes.ts';
import { fileRoutes } from './files/file-routes.ts';
import { fileScrollRoutes } from './files/file-scroll-routes.ts';
import { fileSearchRoutes } from './files/file-search-routes.ts';
import { storageRoutes } from './http/blob-routes.ts';
import type { App } from './http/fastify-types.ts';
import { projectMemberRoutes } from './members/project-member-routes.ts';
import { volumeMemberRoutes } from './members/volume-member-routes.ts';
import { internalStatsRoutes } from './operations/monitoring/internal-stats-routes.ts';
import { projectRoutes } from './projects/project-routes.ts';
import { rootRoutes } from './root-routes.ts';
import type { Services } from './services.ts';
import { storageInputRoutes } from './task-runs/task-input-routes.ts';
import { taskActionRoutes } from './tasks/task-action-routes.ts';
import { taskRoutes } from './tasks/task-routes.ts';
import { exportRoutes } from './transfers/export-routes.ts';
import { importRoutes } from './transfers/import-routes.ts';
import { uploadInlineRoutes } from './uploads/upload-inline-routes.ts';
import { uploadPartRoutes } from './uploads/upload-part-routes.ts';
import { uploadRoutes } from './uploads/upload-routes.ts';
import { feedbackRoutes } from './users/feedback-routes.ts';
import { userRoutes } from './users/user-routes.ts';
import { volumeContentsRoutes } from './volumes/volume-contents-routes.ts';
import { storageObjectRoutes } from './volumes/volume-object-routes.ts';
import { volumeRoutes } from './volumes/volume-routes.ts';

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

/** The routes beside the API: bytes by signed address, and counters for tests. */
export function localRoutes(
  app: App,
  services: Services,
  options: { readonly internalStats: boolean; readonly accelRedirect: string | undefined },
): void {
  storageRoutes(app, services, options);
  storageObjectRoutes(app, services);
  storageInputRoutes(app, services);
  if (options.internalStats) internalStatsRoutes(app, services);
}
