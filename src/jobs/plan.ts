import type { ExportRequest, ImportRequest } from '../api/api.ts';
import type { Place } from '../api/call-options.ts';
import type { FileRecord } from '../api/model.ts';
import type { CopyAnnotations, RefusalReason, TransferRequest } from './ports.ts';

/** The calls that a move or copy becomes. */
export type Plan =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'refused'; readonly reason: RefusalReason; readonly message: string }
  /** Edit call: a new name in the same folder. */
  | { readonly kind: 'rename'; readonly file: string; readonly name: string; readonly overwrite: boolean }
  /** Move call, inside a project. */
  | { readonly kind: 'move'; readonly file: string; readonly to: Place; readonly overwrite: boolean }
  /** Copy call. `overwrite`: copied under another name, then renamed over the target. */
  | {
      readonly kind: 'copy';
      readonly file: string;
      readonly to: Place;
      readonly overwrite: boolean;
      readonly annotations: CopyAnnotations | undefined;
    }
  /** Asynchronous job on a folder, or on a file that goes to another project. */
  | { readonly kind: 'async'; readonly operation: 'move' | 'copy'; readonly file: string; readonly to: Place }
  /** Export jobs; `done` are the aliases that already point at their location. */
  | {
      readonly kind: 'exports';
      readonly exports: readonly ExportPlan[];
      readonly copyOnly: boolean;
      readonly done: readonly FileRecord[];
    }
  /** Import jobs, after their folders were made: paths relative to the folder `parent`, outer before inner. */
  | {
      readonly kind: 'imports';
      readonly parent: string;
      readonly folders: readonly string[];
      readonly imports: readonly ImportPlan[];
    };

/** `path` is relative to a source folder, and empty for a single file. */
export interface ExportPlan extends ExportRequest {
  readonly path: string;
}

/** An import into the folder of that relative path; the empty path is the plan's parent. */
export interface ImportPlan extends Omit<ImportRequest, 'parent'> {
  readonly folder: string;
  /** Relative to a source prefix, and empty for a single object. */
  readonly path: string;
}

/** The contents of a source folder or prefix; empty for a single file or object, and before the listing. */
export interface SourceContents {
  /** Paths are relative to the folder. */
  readonly files: readonly { readonly path: string; readonly file: FileRecord }[];
  readonly locations: readonly string[];
}

export const NOTHING: SourceContents = { files: [], locations: [] };

export type Planner = (request: TransferRequest, contents: SourceContents) => Plan;

export function refused(reason: RefusalReason, message: string): Plan {
  return { kind: 'refused', reason, message };
}
