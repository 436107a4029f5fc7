/** The terms of `permission-matrix.ts`. */
import type { Answer, TestService, TestUser } from './test-service.ts';
import type { TestVolume } from './volume-world.ts';

/** `creator`: of the file, who is alice; no permission stands in for that. */
export type ProjectPermission = 'read' | 'copy' | 'write' | 'execute' | 'admin' | 'creator';
/** `member`: whatever the permission. */
export type VolumePermission = 'member' | 'read' | 'copy' | 'write' | 'admin';

/** The permission that a call asks for, and how a refusal looks: `refusal` to members, `hidden` to all others. */
export type Rule =
  /** Needs no token. */
  | { readonly kind: 'open' }
  /** About the caller's own things, which everybody has. */
  | { readonly kind: 'own' }
  /** About something that belongs to one user alone, whatever the project. */
  | { readonly kind: 'private'; readonly refusal: number }
  | {
      readonly kind: 'project';
      readonly needs: ProjectPermission;
      readonly refusal: number;
      readonly hidden: number;
    }
  | { readonly kind: 'volume'; readonly needs: VolumePermission }
  /** Both, the volume first. */
  | {
      readonly kind: 'transfer';
      readonly onVolume: VolumePermission;
      readonly inProject: ProjectPermission;
      readonly refusal: number;
      readonly hidden: number;
    };

export interface Attempt {
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Something that belongs to alice, in which the caller may have been given permissions. */
export interface World {
  readonly service: TestService;
  readonly alice: TestUser;
  readonly caller: TestUser;
  readonly project: string;
  readonly root: string;
  readonly volume: TestVolume;
  readonly group: string;
}

export interface Row {
  readonly rule: Rule;
  /** The request of the caller; alice first makes all that it acts on. */
  readonly attempt: (world: World) => Attempt | Promise<Attempt>;
  /** Where the refusal is, when not in the answer itself. */
  readonly outcome?: (answer: Answer, world: World) => Promise<Answer['body']>;
}
