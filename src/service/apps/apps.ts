/** The front door: the parts of apps that other subjects may use. */
export { appFor, revisionOf } from './app-access.ts';
export { parseAppReference } from './app-id.ts';
export { type AppPort, namedPorts, portsOf } from './app-ports.ts';
export { type AppRow, appsIn } from './app-table.ts';
export { type SecondaryPattern, secondaryName } from './secondary-names.ts';
