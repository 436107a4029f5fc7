/**
 * Names in the trash of a project: `.svcfs-trash/2026-11-28/folder/file` is what was removed that day (UTC) at
 * `folder/file`. When the trash has an entry of that name already, the next one gets the time of day behind its name:
 * `file~142501042`. A name that ends like that by itself always gets a time, so that taking one off gives the name before.
 */

export const DAY_MS = 86_400_000;
const TIME = /~\d{9}$/;
const DAY = /^\d{4}-\d\d-\d\d$/;

/** `2026-11-28` */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

export function isDay(name: string): boolean {
  return DAY.test(name) && !Number.isNaN(Date.parse(name));
}

/** Whether all that was removed on a day is older than so many milliseconds. */
export function isOlderThan(day: string, ms: number, nowMs: number): boolean {
  return Date.parse(day) + DAY_MS + ms <= nowMs;
}

/** `isTaken`: the trash has an entry of the plain name. */
export function nameInTrash(name: string, nowMs: number, { isTaken }: { readonly isTaken: boolean }): string {
  if (!isTaken && !TIME.test(name)) return name;
  return `${name}~${new Date(nowMs).toISOString().slice(11, 23).replace(/\D/g, '')}`;
}

export function nameBefore(name: string): string {
  return name.replace(TIME, '');
}
