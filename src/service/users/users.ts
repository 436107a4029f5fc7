/** The front door: the parts of users that other subjects may use. */
export { usersIn } from './user-table.ts';
