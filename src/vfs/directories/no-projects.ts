import type { Notice } from '../model/node.ts';

const TEXT = `You have no projects yet. Make one:

  svcfs project create 'My study'

It is shown here, in place of this file, as projects/YOU/my-study. Then cp, rsync and any program can put files there.

A project that somebody makes you a member of is shown within a minute, or when you name it: ls projects/OWNER/NAME
`;

/** `projects/` of a user who has none. */
export const NO_PROJECTS: Notice = { name: 'README', file: { kind: 'file', render: () => TEXT } };
