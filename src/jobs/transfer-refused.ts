import type { RefusalReason } from './ports.ts';

/** A move or copy that the platform would forbid, or has no call for; nothing was sent. */
export class TransferRefused extends Error {
  override readonly name = 'TransferRefused';
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.reason = reason;
  }
}
