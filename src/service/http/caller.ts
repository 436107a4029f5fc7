/** The user that a request or a job acts for. */
export interface Caller {
  readonly username: string;
  /** The rate limit counts by it. */
  readonly tokenHash: string;
  /** When the token of the request ends; a job has none. */
  readonly tokenExpires?: string | null;
}
