import type { FileRecord } from '../../api/model.ts';
import type { MetadataApi } from '../../metadata/files/metadata-api.ts';

/** A platform as the commands on metadata reach it: through a mount, or straight. */
export interface Platform {
  readonly api: MetadataApi;
  /** Of files that were changed by `api`: mounts of this user are to show them as they are. */
  onChanged(files: readonly FileRecord[]): Promise<void>;
  /** What a person should read of a failure; undefined for one that is nobody's. */
  explain(error: unknown): Error | undefined;
  close(): Promise<void>;
}
