import { type Static, Type } from 'typebox';
import { Nullable, RequestBody } from './schema-kinds.ts';

/** `POST /files` with the advance-access header. `type` is `folder` in any case; one of `parent` and `project`. */
export const CreateFolderBody = RequestBody({
  name: Type.Optional(Type.String()),
  type: Type.Optional(Type.String()),
  parent: Type.Optional(Nullable(Type.String())),
  project: Type.Optional(Nullable(Type.String())),
});
export type CreateFolderBody = Static<typeof CreateFolderBody>;
