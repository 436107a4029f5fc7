/** The front door: the parts of projects that other subjects may use. */
export { shortNameOf } from './project-fields.ts';
