import { Type } from 'typebox';

export const VolumePath = Type.Object({ owner: Type.String(), name: Type.String() });

export function volumeIdOf({ owner, name }: { readonly owner: string; readonly name: string }): string {
  return `${owner}/${name}`;
}
