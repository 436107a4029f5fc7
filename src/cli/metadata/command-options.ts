import type { Command } from 'commander';
import { PLATFORM_OPTIONS, type PlatformOptions } from '../../config/metadata-options.ts';
import { addOptionGroups } from '../add-options.ts';
import type { Context } from './find-places.ts';
import { interruptible } from './interruptible.ts';
import { wordsAfterDashes } from './split-words.ts';

export function withPlatform(command: Command): Command {
  return addOptionGroups(command, { 'Without a mount': PLATFORM_OPTIONS });
}

export function contextOf(options: PlatformOptions, command: Command): Context {
  return { options, command, signal: interruptible() };
}

/** The parser leaves `--` out of the words that it gives. */
export function afterDashes(command: Command): number | undefined {
  let top = command;
  while (top.parent) top = top.parent;
  return wordsAfterDashes((top as Command & { readonly rawArgs?: readonly string[] }).rawArgs ?? []);
}
