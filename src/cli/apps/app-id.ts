import { CliError } from '../exit-codes.ts';

/** `owner/project/app`, or with a revision. @throws CliError for anything else */
export function parseAppId(given: string): { readonly id: string; readonly revision: number | undefined } {
  const parts = given.replace(/\/$/, '').split('/');
  const [owner = '', project = '', app = '', revision] = parts;
  const isNumber = revision === undefined || /^\d+$/.test(revision);
  if (parts.length > 4 || [owner, project, app].includes('') || !isNumber || /\p{Cc}/u.test(given))
    throw new CliError('usage', `${given}: no app: write owner/project/app, or owner/project/app/revision`);
  return {
    id: `${owner}/${project}/${app}`,
    revision: revision === undefined ? undefined : Number(revision),
  };
}
