import type { EntryRecord, VolumeObjectRecord } from '../../api/model.ts';
import type { VirtualEntry } from './node.ts';

/** One name of a directory as the platform tells it; `name` is the one shown (`escape.ts`). */
export type Listed =
  | {
      readonly kind: 'entry';
      readonly name: string;
      readonly record: EntryRecord;
      /** Of a file that is to be shown as a symbolic link: the pair that marks it. */
      readonly link: string | undefined;
    }
  | { readonly kind: 'object'; readonly name: string; readonly record: VolumeObjectRecord }
  /** `prefix` from the top of the volume, ending in `/`. */
  | { readonly kind: 'prefix'; readonly name: string; readonly prefix: string }
  | { readonly kind: 'virtual'; readonly name: string; readonly make: VirtualEntry['make'] };
