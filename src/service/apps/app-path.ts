import { Type } from 'typebox';

export const APP_URL = '/apps/:owner/:project/:app';

export const AppPath = Type.Object({ owner: Type.String(), project: Type.String(), app: Type.String() });
export const RevisionPath = Type.Object({ ...AppPath.properties, revision: Type.String() });
