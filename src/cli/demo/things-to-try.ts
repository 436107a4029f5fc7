/** Commands for someone who has a demo mount and no idea yet. */
export function describeThingsToTry(mountPoint: string): string {
  const project = `${mountPoint}/projects/demo/trio-exomes`;
  const volumes = `${mountPoint}/volumes/demo`;
  return `
Things to try:
  ls -l ${project}/child
  samtools view ${project}/child/child.bam chr20:100000-100500
  getfattr -d ${project}/child/child.bam
  echo 'looks good' > ${project}/child/note.txt
  mv ${project}/child/note.txt ${volumes}/results/
  cp ${volumes}/results/note.txt ~/ && cat ~/note.txt
`;
}
