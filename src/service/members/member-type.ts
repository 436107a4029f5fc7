import { ServiceError } from '../http/service-error.ts';

const GROUPS = ['TEAM', 'DIVISION'];

/**
 * Members are users. Clients may ask for teams and divisions, by name like a user: of those the service has none, and a
 * user of that name is not meant.
 *
 * @throws ServiceError 3002, 3005
 */
export function checkMemberType(type: string | undefined): void {
  const asked = type?.toUpperCase() ?? 'USER';
  if (GROUPS.includes(asked)) throw new ServiceError(3002, `There is no such ${asked.toLowerCase()}.`);
  if (asked !== 'USER') throw new ServiceError(3005, 'The type of a member is USER, TEAM or DIVISION.');
}
