import type { TaskValues } from '../../contract/task.ts';
import type { AppPort } from '../apps/apps.ts';
import { ServiceError } from '../http/service-error.ts';

/** A file or folder among the values of a task. */
export interface FileValue {
  readonly class: 'File' | 'Directory';
  /** The id of the file. */
  readonly path: string;
  readonly name?: string;
  readonly secondaryFiles?: unknown;
}

const DEPTH_MAX = 20;

/** Every input of the app, null where nothing is given. @throws ServiceError 7012 when the app has no such input */
export function completeValues(ports: readonly AppPort[], given: TaskValues): TaskValues {
  const names = new Set(ports.map(({ name }) => name));
  const unknown = Object.keys(given).filter((name) => !names.has(name));
  if (unknown.length > 0) throw new ServiceError(7012, `The app has no input ${unknown.join(', ')}.`);
  return Object.fromEntries(ports.map(({ name }) => [name, inputOf(given, name)]));
}

/** Why the task cannot be run with these inputs, one sentence each. */
export function missingInputs(ports: readonly AppPort[], inputs: TaskValues): string[] {
  return ports
    .filter(({ name, required }) => required && inputOf(inputs, name) === null)
    .map(({ name }) => `The input ${name} is required and has no value.`);
}

/** Null where there is none; names are the author's, and may be those that every object inherits. */
function inputOf(values: TaskValues, name: string): unknown {
  return Object.hasOwn(values, name) ? (values[name] ?? null) : null;
}

/** All files in a value, however deep, and their secondary files. @throws ServiceError 7012 when one is malformed */
export function filesAmong(value: unknown): FileValue[] {
  return outerFilesIn(value).flatMap((file) => [file, ...filesAmong(file.secondaryFiles ?? null)]);
}

/** The same without secondary files. */
export function outerFilesIn(value: unknown, depth = 0): FileValue[] {
  if (typeof value !== 'object' || value === null) return [];
  if (depth > DEPTH_MAX) throw new ServiceError(7012, 'The inputs are nested too deeply.');
  if (isFileLike(value)) return [fileValue(value)];
  return Object.values(value).flatMap((inner) => outerFilesIn(inner, depth + 1));
}

/** The value with every file replaced; its secondary files are the replacement's matter. */
export function withFiles(value: unknown, replace: (file: FileValue) => unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isFileLike(value)) return replace(fileValue(value));
  if (Array.isArray(value)) return value.map((inner) => withFiles(inner, replace));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withFiles(inner, replace)]));
}

function isFileLike(value: object): boolean {
  return 'class' in value && (value.class === 'File' || value.class === 'Directory');
}

function fileValue(value: object): FileValue {
  const { path } = value as { path?: unknown };
  if (typeof path !== 'string' || path === '') {
    throw new ServiceError(7012, 'A file among the inputs has the id of a file as its path.');
  }
  return value as FileValue;
}
