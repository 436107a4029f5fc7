import type { ProjectEdit } from '../../api/api.ts';
import { CliError } from '../exit-codes.ts';

/** The options that say what a project is like. */
export interface ProjectFields {
  readonly description?: string | undefined;
  readonly billingGroup?: string | undefined;
  readonly tag?: readonly string[] | undefined;
  /** `KEY=VALUE` */
  readonly setting?: readonly string[] | undefined;
}

/** What of a project is given. */
export function editOf({
  description,
  billingGroup,
  tag,
  setting = [],
}: ProjectFields): Omit<ProjectEdit, 'name'> {
  return {
    ...(description !== undefined && { description }),
    ...(billingGroup !== undefined && { billing_group: billingGroup }),
    ...(tag !== undefined && { tags: tag.filter((each) => each !== '') }),
    ...(setting.length > 0 && { settings: Object.fromEntries(setting.map(parseSetting)) }),
  };
}

/** @throws CliError for what no platform takes */
export function requireName(name: string): string {
  const shown = JSON.stringify(name);
  if (name.includes('/'))
    throw new CliError(
      'usage',
      `${shown}: a project's name has no '/'. Its owner is the user whose token this is`,
    );
  if (/\p{Cc}/u.test(name) || name.trim() === '')
    throw new CliError('usage', `${shown}: a project's name is a line of text`);
  return name;
}

/** The value is JSON where it can be, else text. */
function parseSetting(text: string): readonly [string, unknown] {
  const at = text.indexOf('=');
  if (at <= 0) throw new CliError('usage', `${text}: write KEY=VALUE, such as allow_network_access=true`);
  const value = text.slice(at + 1);
  try {
    return [text.slice(0, at), JSON.parse(value)];
  } catch {
    return [text.slice(0, at), value];
  }
}
