/**
 * The default of `--temporary-names` on volumes: names that programs use for a moment: rsync, sed -i, zip, perl -i, backup programs, SQLite beside a database,
 * downloads, GNOME and LibreOffice. Vim makes swap files, one file to try whether names are cut, and one to try the
 * directory. The pieces of samtools sort and collate have four digits: `*.????.bam` would also keep `sample.hg38.bam` and
 * `sample.sort.bam` here.
 */
export const TEMPORARY_NAMES = [
  ...['.*.??????', 'sed??????', 'zi??????', 'XX??????', '*~', '*.sw?', '*.swpx', '4913'],
  ...['*-journal', '*-wal', '*-shm', '*.part', '*.partial', '*.tmp', '.goutputstream-*', '.~lock*'],
  ...['*.tmp.????.bam', '*.[0-9][0-9][0-9][0-9].bam'],
];

/**
 * The default in projects, which can rename and remove: names that no person gives to a file, and that are renamed or removed
 * soon. The swap file of vim is among them: an edit of less than a minute costs no more than its upload.
 */
export const TEMPORARY_IN_PROJECTS = [
  '.*.??????',
  '.*.sw?',
  '.*.swpx',
  'sed??????',
  '.goutputstream-*',
  '4913',
];
