/** Where the time of all processors went while something ran; all in core seconds. */
export interface CoreSeconds {
  /** The whole: seconds times processors. The rest add up to it, but for `interrupts`, which are in them. */
  readonly all: number;
  /** The client, where it is a mount. */
  readonly mount: number;
  /** The servers: nginx, and the service. */
  readonly servers: number;
  /** The latency proxies. */
  readonly proxies: number;
  readonly idle: number;
  /** Taken by the host. */
  readonly stolen: number;
  /** The cores used by the program that reads or writes (all of the client for `curl`), and by the rest of the machine. */
  readonly others: number;
  /** The kernel's network, most of all; the kernel counts it in ticks, and as time of whoever was interrupted. */
  readonly interrupts: number;
}
