import type { BatchOptions } from './run-command.ts';

export interface TransferOptions extends BatchOptions {
  readonly recursive: boolean;
  /** `-n`: false. */
  readonly clobber: boolean;
  readonly interactive: boolean;
  readonly update: boolean;
  readonly targetDirectory: string | undefined;
  readonly noTargetDirectory: boolean;
  /** Of copies between this machine and the platform. */
  readonly checksum: boolean;
  readonly preserve: boolean;
}
