import type { Option, OptionValues } from './option.ts';
import { PLATFORM_OPTIONS } from './platform-options.ts';

const fix: Option<boolean> = {
  flags: '--fix',
  help: 'do what is safe: take dead mounts away, forget mounts that were killed, take rights from others, keep updatedb out',
  default: false,
};

const json: Option<boolean> = {
  flags: '--json',
  help: 'print JSON, for programs',
  default: false,
};

export const DOCTOR_OPTIONS = { ...PLATFORM_OPTIONS, fix, json } as const;
export type DoctorOptions = OptionValues<typeof DOCTOR_OPTIONS>;
