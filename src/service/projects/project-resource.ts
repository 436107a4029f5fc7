import type { ProjectResource } from '../../contract/project.ts';
import type { RequestView } from '../http/request-view.ts';
import type { MemberProject } from '../members/members.ts';
import { apiTime } from '../store/stored-time.ts';
import { shownSettings } from './project-fields.ts';

/** A project as the API shows it to one of its members. */
export function projectResource(project: MemberProject, view: RequestView): ProjectResource {
  const { id, name, description, category, created_by, permissions, billing_group, root_folder } = project;
  const tags: string[] = JSON.parse(project.tags);
  return {
    href: view.href(`/projects/${id}`),
    id,
    name,
    type: 'v2',
    description,
    tags,
    settings: shownSettings(JSON.parse(project.settings), tags),
    permissions,
    ...(billing_group === null ? {} : { billing_group }),
    category,
    created_by,
    created_on: apiTime(project.created_on),
    modified_on: apiTime(project.modified_on),
    ...(view.advance ? { root_folder } : {}),
  };
}
