/** HH:MM:SS of this machine's time, for a moment of the next minutes. */
export function timeOfDay(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 8);
}
