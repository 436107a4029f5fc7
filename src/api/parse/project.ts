import type { ProjectRecord, ProjectSummary } from '../model.ts';
import {
  asObject,
  booleanAt,
  objectAt,
  optionalTextAt,
  optionalTimeAt,
  textAt,
  textsAt,
  UnexpectedShape,
} from './wire.ts';

export function parseProjectSummary(
  body: unknown,
): ProjectSummary & Pick<ProjectRecord, 'createdBy' | 'createdMs'> {
  const object = asObject(body, 'project');
  const id = textAt(object, 'id');
  const [owner, shortName] = splitId(id);
  return {
    id,
    owner,
    shortName,
    name: optionalTextAt(object, 'name') ?? shortName,
    createdBy: optionalTextAt(object, 'created_by'),
    createdMs: optionalTimeAt(object, 'created_on'),
  };
}

export function parseProject(body: unknown): ProjectRecord {
  const object = asObject(body, 'project');
  const permissions = objectAt(object, 'permissions');
  return {
    ...parseProjectSummary(body),
    description: optionalTextAt(object, 'description') ?? '',
    tags: textsAt(object, 'tags'),
    settings: objectAt(object, 'settings'),
    permissions: {
      read: booleanAt(permissions, 'read'),
      write: booleanAt(permissions, 'write'),
      copy: booleanAt(permissions, 'copy'),
      execute: booleanAt(permissions, 'execute'),
      admin: booleanAt(permissions, 'admin'),
    },
    billingGroup: optionalTextAt(object, 'billing_group'),
    modifiedMs: optionalTimeAt(object, 'modified_on'),
    rootFolder: textAt(object, 'root_folder'),
  };
}

/** Splits `owner/name`. */
export function splitId(id: string): readonly [owner: string, name: string] {
  const slash = id.indexOf('/');
  if (slash <= 0 || slash === id.length - 1) {
    throw new UnexpectedShape(`the id ${JSON.stringify(id)} is not owner/name`);
  }
  return [id.slice(0, slash), id.slice(slash + 1)];
}
