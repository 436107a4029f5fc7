import type { ProjectMember } from '../../contract/project.ts';
import type { RequestView } from '../http/request-view.ts';
import type { ProjectMemberRow } from './project-table.ts';

export function projectMember(
  projectId: string,
  { username, email, permissions }: ProjectMemberRow,
  view: RequestView,
): ProjectMember {
  const href = view.href(`/projects/${projectId}/members/${encodeURIComponent(username)}`);
  return { href, id: username, username, email, type: 'USER', permissions };
}
