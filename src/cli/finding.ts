/** `unknown`: it could not be looked at. */
export type FindingState = 'ok' | 'warning' | 'fault' | 'unknown';

/** One line of `svcfs doctor`. */
export interface Finding {
  /** What was looked at: `/dev/fuse`, `token`. */
  readonly check: string;
  readonly state: FindingState;
  /** How it is; one line without a full stop. */
  readonly found: string;
  /** A line to paste into a shell. What only a person can do begins with `#`. */
  readonly remedy?: string | undefined;
  /** Does what the remedy says. There only where nothing can be lost by it. */
  readonly fix?: (() => Promise<unknown>) | undefined;
}

type Remedies = Pick<Finding, 'remedy' | 'fix'>;

export function ok(check: string, found: string): Finding {
  return { check, state: 'ok', found };
}

export function warning(check: string, found: string, remedies: Remedies = {}): Finding {
  return { check, state: 'warning', found, ...remedies };
}

export function fault(check: string, found: string, remedies: Remedies = {}): Finding {
  return { check, state: 'fault', found, ...remedies };
}

export function unknown(check: string, found: string): Finding {
  return { check, state: 'unknown', found };
}
