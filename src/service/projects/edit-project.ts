import type { EditProjectBody, ProjectSettings } from '../../contract/project.ts';
import type { HasClock } from '../../lib/clock.ts';
import { billingGroupFor } from '../billing/billing.ts';
import type { Caller } from '../http/caller.ts';
import { checkDescription } from '../http/description.ts';
import { demand, type MemberProject, projectFor, projectsIn } from '../members/members.ts';
import type { HasStore } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import { checkProjectName, checkProjectTags, mergeSettings } from './project-fields.ts';

/** Never changes the id. Settings and billing need `admin`, the rest `write`. @throws ServiceError 3002, 3001, 3007, 90000, 4002, 4005 */
export async function editProject(
  { store, clock }: HasStore & HasClock,
  caller: Caller,
  edit: { readonly id: string; readonly body: EditProjectBody },
): Promise<MemberProject> {
  const { name, description, tags, settings, billing_group } = edit.body;
  return store.transaction(async (tx) => {
    const project = await projectFor(tx, caller, edit.id);
    demand(project.permissions, settings || billing_group ? 'admin' : 'write', 3001);
    const present: ProjectSettings = JSON.parse(project.settings);
    if (billing_group) await billingGroupFor(tx, caller, billing_group);
    await projectsIn(tx).update(project.id, {
      ...(name === undefined ? {} : { name: checkProjectName(name) }),
      ...(description === undefined ? {} : { description: checkDescription(description) }),
      ...(tags === undefined ? {} : { tags: JSON.stringify(checkProjectTags(tags)) }),
      ...(settings ? { settings: JSON.stringify(mergeSettings(present, settings)) } : {}),
      ...(billing_group ? { billing_group } : {}),
      modified_on: storedTime(clock.now()),
    });
    return projectFor(tx, caller, project.id);
  });
}
