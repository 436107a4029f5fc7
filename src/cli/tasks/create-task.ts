import { stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import type { AppRecord, TaskRecord } from '../../api/model.ts';
import { printExactly } from '../../lib/exact-json.ts';
import { printable } from '../../lib/printable.ts';
import type { FileReference } from '../../tasks/fit-inputs.ts';
import { inputPorts } from '../../tasks/ports.ts';
import { taskDirectoryName } from '../../tasks/task-directory.ts';
import { CliError } from '../exit-codes.ts';
import { locate } from '../mount/select-mount.ts';
import { choosePlatform } from '../platform/choose-platform.ts';
import { findArguments } from '../platform/find-arguments.ts';
import type { Context } from '../platform/find-places.ts';
import { mountedPlatform } from '../platform/mounted-platform.ts';
import type { Platform } from '../platform/platform.ts';
import { act } from './act-on-task.ts';
import { appIdOf, getApp } from './app-argument.ts';
import { checkIds, isFileId, pathOfInput, putIds } from './find-input-files.ts';
import { finishing } from './on-platform.ts';
import { fitGiven, type GivenInputs, readInputs } from './read-inputs.ts';
import { waitForTasks } from './wait-for-tasks.ts';

export interface CreateOptions {
  readonly name: string | undefined;
  readonly project: string | undefined;
  readonly description: string | undefined;
  readonly inputs: string | undefined;
  readonly input: readonly string[];
  readonly run: boolean;
  readonly wait: boolean;
  readonly json: boolean;
}

/** Makes a draft of an app and inputs, and runs it when that is asked for. Nothing is sent before all inputs fit. */
export async function createTask(given: string, options: CreateOptions, context: Context): Promise<void> {
  if (options.wait && !options.run) throw new CliError('usage', '--wait needs --run');
  const id = await appIdOf(given);
  const inputs = await readInputs(options.inputs, options.input);
  const platform = await platformFor(inputs, given, context);
  await finishing(platform, async () => {
    const app = await getApp(id, platform);
    const values = await readyInputs(app, inputs, platform, context);
    const { project = app.project, name = app.name, description } = options;
    const task = await platform.api.tasks.create({ project, app: app.id, name, description, inputs: values });
    await platform.onTasksChanged([task]);
    console.log(options.json ? printExactly(task.wire) : await shownAs(task, platform));
    for (const error of task.errors) console.error(`svcfs: ${error}`);
    if (options.run) await act('run', task.id, platform);
    if (options.wait) await waitForTasks([task.id], { platform, signal: context.signal, json: false });
  });
}

/** Its directory in the mount, where that shows it; else its id. */
async function shownAs({ id, name, project }: TaskRecord, { mountPoint }: Platform): Promise<string> {
  if (mountPoint === undefined) return id;
  const directory = join(mountPoint, 'tasks', project, taskDirectoryName({ id, name }));
  return stat(directory).then(
    () => directory,
    () => id,
  );
}

/** That of the mount that an input is in, or the app; else the one at hand. */
async function platformFor(
  { values, words, directory }: GivenInputs,
  app: string,
  context: Context,
): Promise<Platform> {
  const ofWords = words.map((word) => word.slice(word.indexOf('=') + 1));
  const paths = [
    ...ofWords,
    ...textsIn(values).map((text) => (isAbsolute(text) ? text : join(directory, text))),
    app,
  ];
  for (const path of paths) {
    const located = await locate(path);
    if (located !== undefined) return mountedPlatform(located.mount, context.signal);
  }
  return (await choosePlatform(undefined, context)).platform;
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The inputs as the API takes them. @throws CliError with all that does not fit */
async function readyInputs(
  app: AppRecord,
  given: GivenInputs,
  platform: Platform,
  context: Context,
): Promise<Readonly<Record<string, unknown>>> {
  const [ofFile, ofWords] = fitGiven(inputPorts(app.raw), given);
  const problems = [
    ...ofFile.problems,
    ...ofWords.problems,
    ...(await findFiles(ofFile.files, given.directory, platform, context)),
    ...(await findFiles(ofWords.files, '.', platform, context)),
  ];
  const [first, ...more] = problems.map(printable);
  if (first === undefined) return { ...ofFile.values, ...ofWords.values };
  for (const problem of [first, ...more]) console.error(`svcfs: ${problem}`);
  throw new CliError('failure', `no task was made: ${problems.length} of the inputs of ${app.id} do not fit`);
}

/** Puts ids in place of paths; answers a sentence for each file that is not on the platform. */
async function findFiles(
  files: readonly FileReference[],
  directory: string,
  platform: Platform,
  context: Context,
): Promise<readonly string[]> {
  const byId = files.filter(({ file }) => isFileId(file.path));
  const byPath = files.filter(({ file }) => !isFileId(file.path));
  const paths = await Promise.all(byPath.map(({ file }) => pathOfInput(file.path, directory)));
  // This one is closed by its owner.
  const lent = { ...platform, close: () => Promise.resolve() };
  const { found } = await findArguments(paths, context, () => Promise.resolve(lent));
  const arguments_ = new Map(byPath.map((reference, index) => [reference, found[index]] as const));
  return [...(await checkIds(byId, platform)), ...putIds(byPath, arguments_)];
}
