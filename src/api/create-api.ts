import type { Api } from './api.ts';
import { NO_BUCKETS } from './buckets/no-buckets.ts';
import { appsApi } from './resources/apps.ts';
import { AsyncFilesClient } from './resources/async-files.ts';
import { billingApi } from './resources/billing.ts';
import { FilesClient } from './resources/files.ts';
import { projectsApi } from './resources/projects.ts';
import { recordsApi } from './resources/records.ts';
import { RootClient } from './resources/root.ts';
import { TasksClient } from './resources/tasks.ts';
import { TransfersClient } from './resources/transfers.ts';
import { UploadsClient } from './resources/uploads.ts';
import { volumesApi } from './resources/volumes.ts';
import { type ConnectionOptions, type ConnectionStatus, connect } from './transport/connection.ts';

export type ApiOptions = ConnectionOptions;

export interface ApiClient extends Api {
  status(): ConnectionStatus;
}

/** The client of the platform's API: resources over one connection to the service. */
export function createApi(options: ApiOptions): ApiClient {
  const { call, serverTime, hasRoom, isSpent, status, close } = connect(options);
  const root = new RootClient(call);
  const files = new FilesClient(call, serverTime);
  return {
    whoAmI: (callOptions) => root.whoAmI(callOptions),
    capabilities: (callOptions) => root.capabilities(callOptions),
    isKnownToOffer: (capability) => root.isKnownToOffer(capability),
    downloadOrigin: () => root.downloadOrigin(),
    projects: projectsApi(call, serverTime),
    files,
    uploads: new UploadsClient(call, files, serverTime),
    volumes: volumesApi(call, serverTime),
    buckets: NO_BUCKETS,
    transfers: new TransfersClient(call, serverTime),
    asyncFiles: new AsyncFilesClient(call, serverTime),
    apps: appsApi(call, serverTime),
    billing: billingApi(call),
    records: recordsApi(call),
    tasks: new TasksClient(call, serverTime),
    hasRoom,
    isSpent,
    status,
    close,
  };
}
