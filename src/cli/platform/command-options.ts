import type { Command } from 'commander';
import { PLATFORM_OPTIONS, type PlatformOptions } from '../../config/platform-options.ts';
import { addOptionGroups } from '../add-options.ts';
import type { Context } from './find-places.ts';
import { interruptible } from './interruptible.ts';

export function withPlatform(command: Command): Command {
  return addOptionGroups(command, { 'Without a mount': PLATFORM_OPTIONS });
}

export function contextOf(options: PlatformOptions, command: Command): Context {
  return { options, command, signal: interruptible() };
}
