/** The room that entries of a cache may take together, and the way to get more. */
export interface Room {
  readonly bytes: number;
  readonly remedy: string;
}

/** By which of its two limits a cache is full: its own size, else what is to be left free on its disk. */
export function remedyForRoom(atSize: boolean): string {
  return atSize ? 'raise --cache-size' : 'free space on its disk, or lower --cache-min-free';
}
