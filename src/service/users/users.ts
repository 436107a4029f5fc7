/** What other subjects may use of users. */
export { usersIn } from './user-table.ts';
