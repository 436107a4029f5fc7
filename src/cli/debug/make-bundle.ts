import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { credentialFiles } from '../../config/credentials.ts';
import { VARIABLES_WITH_PASSWORDS } from '../../config/network.ts';
import type { PlatformOptions } from '../../config/platform-options.ts';
import { ProfileFile } from '../../config/profile-file.ts';
import { messageOf } from '../../lib/message-of.ts';
import { parsed } from '../../observe/log-text.ts';
import { rowsOf } from '../config/option-rows.ts';
import { readChecked, settingsOf } from '../config/sources.ts';
import { findingsOf } from '../doctor/describe-findings.ts';
import { examine } from '../doctor/examine.ts';
import { CliError } from '../exit-codes.ts';
import { linesOf } from '../log/read-log.ts';
import { askMount } from '../mount/ask-mount.ts';
import type { InquiryAnswer, InquiryRequest } from '../mount/control-messages.ts';
import { leadsIntoMount } from '../mount/own-files.ts';
import type { SvcfsMount } from '../mount/require-mount.ts';
import { packageVersion } from '../package-version.ts';
import { type MountRecord, readRecord } from '../record.ts';
import { Cleaner } from './cleaner.ts';
import {
  descriptorsOf,
  environment,
  mountTable,
  readInMount,
  stateFiles,
  threads,
  versions,
} from './collect.ts';
import { ownWords } from './own-words.ts';
import { type BundleFile, writeBundle } from './write-bundle.ts';

/** Of each log, the newest: enough for a day, and small enough to send. */
const MOST_LINES = 20_000;
/** For a question to the mount; nothing here takes longer than a few seconds. */
const PATIENCE = { quietMs: 1000, answerMs: 1500 };

export interface DebugOptions extends PlatformOptions {
  readonly output: string | undefined;
  readonly names: boolean;
}

export interface MadeBundle {
  readonly path: string;
  readonly files: readonly BundleFile[];
  readonly bytes: number;
}

/** A file of the bundle, before it is cleaned. */
interface Raw {
  readonly name: string;
  readonly what: string;
  /** Lines of a log, or anything that JSON can hold. */
  readonly content: { readonly lines: readonly string[] } | { readonly value: unknown };
}

/** Collects what helps to find a fault. A mount that hangs is asked once, and left. */
export async function makeBundle(
  mount: SvcfsMount | undefined,
  options: DebugOptions,
  command: Command,
): Promise<MadeBundle> {
  const path = resolve(options.output ?? `svcfs-debug-${stamp(new Date())}.tar.gz`);
  if (await leadsIntoMount(path))
    throw new CliError(
      'usage',
      `${path} is in a mount, which may not answer: name another place with --output`,
    );
  const raw = [
    ...(await ofMachine(mount, command, options)),
    ...(mount === undefined ? [] : await ofMount(mount)),
  ];
  const cleaner = new Cleaner({
    secrets: await knownSecrets(options),
    names: options.names,
    ownWords: await ownWords(),
  });
  // Once to learn all names.
  for (const { content } of raw) textOf(content, cleaner);
  const files = raw.map(({ name, what, content }) => ({ name, what, text: textOf(content, cleaner) }));
  await writeBundle(path, files, noteOf(options));
  return { path, files, bytes: (await stat(path)).size };
}

async function ofMachine(
  mount: SvcfsMount | undefined,
  command: Command,
  options: DebugOptions,
): Promise<readonly Raw[]> {
  const record = mount && (await readRecord<MountRecord>(mount.directory.record).catch(() => undefined));
  const hidden = new Set([...VARIABLES_WITH_PASSWORDS, 'SVC_AUTH_TOKEN', 'SB_AUTH_TOKEN']);
  return [
    json('versions.json', 'svcfs, Node.js and the system', versions()),
    json('doctor.json', 'what svcfs doctor finds', findingsOf(await examine(mount?.mountPoint, command))),
    json(
      'options.json',
      'options of svcfs mount, and where they come from',
      await optionsOf(mount, command, options),
    ),
    json('environment.json', 'variables that svcfs reads', environment(hidden)),
    json('mounts.json', 'mounts of FUSE, and requests that the kernel waits for', await mountTable()),
    json(
      'threads.json',
      'threads of the mount, and programs that wait in the kernel',
      await threads(record?.daemon.pid),
    ),
  ];
}

async function ofMount(mount: SvcfsMount): Promise<readonly Raw[]> {
  const { directory, mountPoint } = mount;
  const record = await readRecord<MountRecord>(directory.record).catch(() => undefined);
  const [status, exchanges, errors, config] = await Promise.all([
    asked(mount, { request: 'status' }),
    asked(mount, { request: 'exchanges' }),
    readInMount(join(mountPoint, '.svcfs', 'errors')),
    readInMount(join(mountPoint, '.svcfs', 'config')),
  ]);
  const pid = record?.daemon.pid;
  return [
    json('record.json', 'the process of the mount', {
      ...record,
      descriptors: pid && (await descriptorsOf(pid)),
    }),
    json('status.json', 'statistics, uploads and jobs, as svcfs status shows them', status),
    json('requests.json', 'the last requests, by their ids', exchanges),
    json('errors.json', 'the last failures', linesIn(errors)),
    json('config.json', 'options in force', config === undefined ? NO_ANSWER : (parsed(config) ?? NO_ANSWER)),
    json('state.json', 'files of the state directory, and their sizes', await stateFiles(directory.root)),
    {
      name: 'mount.log',
      what: 'the log of the mount',
      content: { lines: (await linesOf(directory.log)).slice(-MOST_LINES) },
    },
    {
      name: 'service.log',
      what: 'the log of the service, if it is a demo',
      content: { lines: (await linesOf(directory.serviceLog)).slice(-MOST_LINES) },
    },
  ];
}

const NO_ANSWER = { answer: 'none within the time: the mount hangs, or its process has ended' };

function json(name: string, what: string, value: unknown): Raw {
  return { name, what, content: { value } };
}

/** The answer, or why there is none. */
async function asked<R extends InquiryRequest>(
  mount: SvcfsMount,
  request: R,
): Promise<InquiryAnswer | object> {
  try {
    for await (const said of askMount(mount, request, { patience: PATIENCE })) return said;
    return NO_ANSWER;
  } catch (error) {
    return { ...NO_ANSWER, reason: messageOf(error) };
  }
}

function linesIn(text: string | undefined): unknown {
  if (text === undefined) return NO_ANSWER;
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => parsed(line) ?? line);
}

async function optionsOf(
  mount: SvcfsMount | undefined,
  command: Command,
  { config, profile }: DebugOptions,
): Promise<unknown> {
  const program = command.parent ?? command;
  const ofMounts = program.commands.find((each) => each.name() === 'mount');
  if (ofMounts === undefined) return [];
  try {
    const settings = settingsOf(ofMounts, await readChecked(program, config), {
      mountPoint: mount?.mountPoint,
      profile,
    });
    return rowsOf(ofMounts, settings).filter(({ source }) => source !== 'default');
  } catch (error) {
    return { failure: messageOf(error) };
  }
}

/** All tokens that this user has here: none may be in a bundle, wherever it stands. */
async function knownSecrets({ tokenFile }: DebugOptions): Promise<readonly string[]> {
  const { ours, platform } = credentialFiles(homedir());
  const files = await Promise.all([
    ProfileFile.read(ours, 'ours').catch(() => undefined),
    ProfileFile.read(platform, 'platform').catch(() => undefined),
  ]);
  const tokens = files.flatMap((file) => file?.secrets ?? []);
  const variables = ['SVC_AUTH_TOKEN', 'SB_AUTH_TOKEN'].map((name) => process.env[name]);
  const file = tokenFile === undefined ? undefined : await readFile(tokenFile, 'utf8').catch(() => undefined);
  const passwords = VARIABLES_WITH_PASSWORDS.map((name) => /:([^/@:]+)@/.exec(process.env[name] ?? '')?.[1]);
  return [...tokens, ...variables, file?.trim(), ...passwords].filter((secret) => secret !== undefined);
}

function textOf(content: Raw['content'], cleaner: Cleaner): string {
  if ('value' in content) return `${JSON.stringify(cleaner.value(content.value), null, 2)}\n`;
  return content.lines
    .map((line) => {
      const fields = parsed(line);
      return `${fields === undefined ? cleaner.text(line) : JSON.stringify(cleaner.value(fields))}\n`;
    })
    .join('');
}

function noteOf({ names }: DebugOptions): readonly string[] {
  return [
    `svcfs ${packageVersion()}: a bundle to find a fault by, made at ${new Date().toISOString()}`,
    'Tokens, passwords and signatures are left out.',
    names
      ? 'Names of files, projects and users are in it (--names).'
      : 'Each name-XXXXXXXX stands for a name of a file, project or user: the same one throughout.',
  ];
}

/** `20260531-142233` */
function stamp(time: Date): string {
  return time
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replaceAll(/[-:]/g, '')
    .replace('T', '-');
}
