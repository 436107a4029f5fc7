/** Paths of the data set (`data-set.ts`). */
export const BIG_FILES = ['big/0', 'big/1', 'big/2', 'big/3'] as const;
export const MANY = 'many';
export const THOUSAND = 'thousand';
export const TREE = 'tree';
export const CROWD = 'crowd';
/** Each in a folder of its own. */
export const APART = Array.from({ length: 20 }, (_, i) => `apart/${String(i).padStart(2, '0')}/file`);
export const BAM = 'bam/sample.bam';
export const OUT = 'out';
