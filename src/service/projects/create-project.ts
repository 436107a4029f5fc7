import type { CreateProjectBody } from '../../contract/project.ts';
import type { HasClock } from '../../lib/clock.ts';
import { randomId } from '../../lib/random-id.ts';
import { billingGroupFor, billingGroupsIn } from '../billing/billing.ts';
import { filesIn, newFile } from '../files/files.ts';
import type { Caller } from '../http/caller.ts';
import { checkDescription } from '../http/description.ts';
import { ServiceError } from '../http/service-error.ts';
import {
  ALL_PERMISSIONS,
  type MemberProject,
  type ProjectRow,
  projectFor,
  projectsIn,
} from '../members/members.ts';
import type { HasStore, Store } from '../store/store.ts';
import { storedTime } from '../store/stored-time.ts';
import {
  checkProjectName,
  checkProjectTags,
  mergeSettings,
  NEW_PROJECT_SETTINGS,
  shortNameOf,
} from './project-fields.ts';

/** The caller becomes the owner, with every permission. @throws ServiceError 3007, 90000, 4001, 4002, 4005 */
export async function createProject(
  { store, clock }: HasStore & HasClock,
  caller: Caller,
  body: CreateProjectBody,
): Promise<MemberProject> {
  const name = checkProjectName(body.name);
  const billingGroup = body.billing_group
    ? await billingGroupFor(store, caller, body.billing_group)
    : await billingGroupsIn(store).firstOf(caller.username);
  const now = storedTime(clock.now());
  const owner = caller.username;
  return store.transaction(async (tx) => {
    const shortName = await freeShortName(tx, owner, shortNameOf(name));
    const project: ProjectRow = {
      id: `${owner}/${shortName}`,
      owner,
      short_name: shortName,
      name,
      description: checkDescription(body.description),
      billing_group: billingGroup?.id ?? null,
      tags: JSON.stringify(checkProjectTags(body.tags)),
      settings: JSON.stringify(mergeSettings(NEW_PROJECT_SETTINGS, body.settings ?? {})),
      category: 'PRIVATE',
      root_folder: randomId(),
      created_by: owner,
      created_on: now,
      modified_on: now,
    };
    await insertProject(tx, project);
    return projectFor(tx, caller, project.id);
  });
}

async function insertProject(tx: Store, project: ProjectRow): Promise<void> {
  await projectsIn(tx).insert(project);
  await projectsIn(tx).setMember(project.id, project.owner, ALL_PERMISSIONS);
  const root = newFile({
    id: project.root_folder,
    project_id: project.id,
    parent_id: null,
    kind: 'folder',
    name: project.short_name,
    created_by: project.owner,
    created_on: project.created_on,
  });
  await filesIn(tx).insert(root);
}

async function freeShortName(tx: Store, owner: string, wanted: string): Promise<string> {
  for (let attempt = 0; attempt < 1000; attempt += 1) {
    const name = attempt === 0 ? wanted : `${wanted}_${attempt}`;
    if ((await projectsIn(tx).find(`${owner}/${name}`)) === undefined) return name;
  }
  throw new ServiceError(3003);
}
