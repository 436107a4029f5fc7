import { describe, expect, it } from 'vitest';

import { NOTHING } from '../../../src/jobs/plan.ts';
import { planCopy } from '../../../src/jobs/plan-copy.ts';
import type { TransferSource, TransferTarget } from '../../../src/jobs/ports.ts';
import { ALL, file, ofFile, ofFolder, ofObject, READ, request, toProject, toVolume } from './samples.ts';

const plan = (source: TransferSource, target: TransferTarget) => planCopy(request(source, target), NOTHING);

describe('a copy', () => {
  it('of a file to any project is a copy call', () => {
    expect(plan(ofFile(file()), toProject({ project: 'bob/other', parent: 'r2' }))).toEqual({
      kind: 'copy',
      file: 'f1',
      to: { parent: 'r2', name: 'b.bam' },
      overwrite: false,
    });
  });

  it('of a folder is an asynchronous copy', () => {
    expect(plan(ofFolder, toProject({ name: 'raw2' }))).toMatchObject({ kind: 'async', operation: 'copy' });
  });

  it('to a volume is an export that keeps the source, and needs copy permission only', () => {
    const readAndCopy = { ...READ, copy: true };
    expect(plan(ofFile(file(), readAndCopy), toVolume())).toMatchObject({ kind: 'exports', copyOnly: true });
    expect(plan(ofFile(file(), READ), toVolume())).toMatchObject({ reason: 'no-permission' });
  });

  it('of a volume object is an import', () => {
    expect(plan(ofObject, toProject())).toMatchObject({ kind: 'imports' });
  });

  it('needs copy permission where it comes from and write permission where it goes', () => {
    expect(plan(ofFile(file(), { ...ALL, copy: false }), toProject())).toMatchObject({
      reason: 'no-permission',
    });
    expect(plan(ofFile(file()), toProject({ permissions: READ }))).toMatchObject({ reason: 'no-permission' });
  });
});
