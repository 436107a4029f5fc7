/** Counters of the traffic served, for tests that count requests and bytes. */
export class ServiceStats {
  apiRequests = 0;
  /** By method and route pattern. */
  readonly apiCalls = new Map<string, number>();
  storagePuts = 0;
  storagePutBytes = 0;
  storageGets = 0;
  storageGetBytes = 0;
  partsInFlight = 0;
  maxPartsInFlight = 0;

  apiCall(call: string): void {
    this.apiRequests += 1;
    this.apiCalls.set(call, (this.apiCalls.get(call) ?? 0) + 1);
  }

  partBegins(): void {
    this.storagePuts += 1;
    this.partsInFlight += 1;
    this.maxPartsInFlight = Math.max(this.maxPartsInFlight, this.partsInFlight);
  }

  partEnds(bytes: number): void {
    this.partsInFlight -= 1;
    this.storagePutBytes += bytes;
  }

  /** Starts anew; what is in flight stays counted. */
  reset(): void {
    this.apiRequests = 0;
    this.apiCalls.clear();
    this.storagePuts = 0;
    this.storagePutBytes = 0;
    this.storageGets = 0;
    this.storageGetBytes = 0;
    this.maxPartsInFlight = this.partsInFlight;
  }

  snapshot(): Record<string, unknown> {
    return { ...Object.fromEntries(Object.entries(this)), apiCalls: Object.fromEntries(this.apiCalls) };
  }
}

export interface HasStats {
  readonly stats: ServiceStats;
}
