/** What other subjects may use of projects. */
export { shortNameOf } from './project-fields.ts';
