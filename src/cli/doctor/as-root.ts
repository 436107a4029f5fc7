const ROOT = 0;

export function isRoot(uid = process.geteuid?.()): boolean {
  return uid === ROOT;
}

/** A command that only root may run, as this user has to type it. */
export function asRoot(command: string): string {
  return isRoot() ? command : `sudo ${command}`;
}
