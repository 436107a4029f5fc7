/** Commands for someone who has a demo mount and no idea yet. */
export function describeThingsToTry(mountPoint: string): string {
  return `
Try:
  ls -l ${mountPoint}/projects/*/
`;
}
