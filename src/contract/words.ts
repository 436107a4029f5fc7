/** Words that fields of the API take. They stand apart from the schemas, which a command does not load. */

/** DRAFT → (CREATING → QUEUED →) RUNNING → COMPLETED | FAILED; a running one is aborted: ABORTING → ABORTED. */
export const TASK_STATUSES = [
  'DRAFT',
  'CREATING',
  'QUEUED',
  'RUNNING',
  'COMPLETED',
  'ABORTING',
  'ABORTED',
  'FAILED',
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** How a copy relates to its original: which revisions it takes, and whose updates `sync` brings. */
export const APP_COPY_STRATEGIES = ['clone', 'direct', 'clone_direct', 'transient'] as const;
export type AppCopyStrategy = (typeof APP_COPY_STRATEGIES)[number];
