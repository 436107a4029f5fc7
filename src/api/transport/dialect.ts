/**
 * The words in which services of this kind differ; their paths and shapes are the same (undocumented-calls,
 * section 4).
 */
export interface Dialect {
  readonly tokenHeader: string;
  /** Folder ids are shown, and folders made, only to those who send it. */
  readonly advanceHeader: string;
}

export const DIALECTS = {
  neutral: { tokenHeader: 'x-svc-auth-token', advanceHeader: 'x-svc-advance-access' },
  vendor: { tokenHeader: 'x-sbg-auth-token', advanceHeader: 'x-sbg-advance-access' },
} as const satisfies Record<string, Dialect>;

export type DialectName = keyof typeof DIALECTS;
