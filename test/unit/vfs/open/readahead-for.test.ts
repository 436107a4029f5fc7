import { expect, it } from 'vitest';
import { readaheadFor } from '../../../../src/vfs/open/readahead-for.ts';

it('is small for what is read by region, and the default for everything else', () => {
  for (const name of ['a.bam', 'NA12878.CRAM', 'calls.vcf.gz', 'x.bw'])
    expect(readaheadFor(name)).toBe(48 * 1024);
  for (const name of ['a.bam.bai', 'reads.fastq.gz', 'calls.vcf', 'bam'])
    expect(readaheadFor(name)).toBeUndefined();
});
