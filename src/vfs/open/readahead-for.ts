/** BAM and other data that is read by region, over an index beside it. */
const READ_BY_INDEX = /\.(bam|cram|bcf|vcf\.gz|bed\.gz|gff\.gz|gff3\.gz|gtf\.gz|2bit|bw|bb|bigwig|bigbed)$/i;
const FOR_INDEX_BYTES = 48 * 1024;

/**
 * How far the kernel should read ahead in a file; undefined: as far as it does for streams. A region is often no more
 * than a hundred KiB, and what the kernel has asked for must be fetched.
 */
export function readaheadFor(name: string): number | undefined {
  return READ_BY_INDEX.test(name) ? FOR_INDEX_BYTES : undefined;
}
