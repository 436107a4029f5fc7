/** Whether the text has the form of a project or volume id: `{owner}/{name}`. */
export function isOwnedId(id: string): boolean {
  return /^[^/\0]+\/[^/\0]+$/.test(id);
}
