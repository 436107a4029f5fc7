export interface AnsweredRequest {
  readonly method: string;
  /** The pattern; undefined where no route answers. */
  readonly route: string | undefined;
  readonly status: number;
  readonly seconds: number;
}

/** The counters of requests. */
export interface RequestMetrics {
  answered(request: AnsweredRequest): void;
  requestAborted(): void;
  rateLimitRefused(): void;
}

export interface HasRequestMetrics {
  readonly metrics: RequestMetrics;
}
