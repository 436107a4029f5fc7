import type { ProjectRecord } from '../../api/model.ts';
import { describePermissions } from '../members/permissions.ts';

/** A project as `--json` prints it. */
export function describeProject(project: ProjectRecord): object {
  const { id, name, description, tags, settings, permissions, billingGroup, createdBy } = project;
  return {
    id,
    name,
    description,
    tags,
    settings,
    permissions,
    billing_group: billingGroup,
    created_by: createdBy,
    created_on: timeOf(project.createdMs),
    modified_on: timeOf(project.modifiedMs),
  };
}

/** Lines for a person. */
export function projectLines(project: ProjectRecord): readonly (readonly [string, string])[] {
  const { id, name, description, tags, settings, permissions, billingGroup, createdBy } = project;
  return [
    ['project', id],
    ['name', name],
    ['description', description],
    ['tags', tags.join(', ')],
    ['billing group', billingGroup ?? ''],
    ['you may', describePermissions({ ...permissions })],
    ...Object.entries(settings).map(
      ([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)] as const,
    ),
    ['created', [timeOf(project.createdMs), createdBy && `by ${createdBy}`].filter(Boolean).join(' ')],
    ['modified', timeOf(project.modifiedMs) ?? ''],
  ];
}

export function timeOf(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
