import { ServiceError } from '../http/service-error.ts';

const SHORT_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$/;

/** `{owner}/{project}/{short name}`, as the path gives it. */
export interface AppPath {
  readonly owner: string;
  readonly project: string;
  readonly app: string;
}

export function appIdOf({ owner, project, app }: AppPath): string {
  return `${owner}/${project}/${app}`;
}

/** @throws ServiceError 6005 */
export function checkAppShortName(name: string): string {
  if (!SHORT_NAME.test(name)) {
    throw new ServiceError(6005, 'An app is named by letters, digits, ".", "_" and "-".');
  }
  return name;
}

/** The number of a revision, from a path. @throws ServiceError 6006 */
export function parseRevision(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new ServiceError(6006);
  return Number(text);
}

/** An app as tasks name it, with a revision or without. @throws ServiceError 7015 */
export function parseAppReference(text: string): { readonly id: string; readonly revision?: number } {
  const [, id, revision] = /^([^/]+\/[^/]+\/[^/]+)(?:\/(\d{1,9}))?$/.exec(text) ?? [];
  if (id === undefined) throw new ServiceError(7015);
  return { id, ...(revision === undefined ? {} : { revision: Number(revision) }) };
}
