/** Hill climbing: a number is moved while moving it helps. Used for how many parts are in flight. */
export interface Climb {
  readonly value: number;
  /** The result of the value before this one; undefined: nothing is known yet. */
  readonly before: number | undefined;
  readonly direction: 1 | -1;
}

export interface ClimbLimits {
  readonly least: number;
  readonly most: number;
}

/** Less than this is noise. */
const NOTABLE = 0.05;
const STEP = 0.25;

/**
 * One step after `result` (more is better) was measured at `climb.value`. A step that helped is done again, and one
 * that harmed is taken back. A step that made no difference is undone towards less, which costs less.
 */
export function climbOn(climb: Climb, result: number, limits: ClimbLimits): Climb {
  const { value, before, direction } = climb;
  const next = before === undefined ? direction : directionAfter(direction, result / before);
  const step = Math.max(1, Math.round(value * STEP));
  const moved = Math.min(limits.most, Math.max(limits.least, value + next * step));
  // At an end there is only the way back.
  const turned = moved === value ? (-next as 1 | -1) : next;
  return { value: moved, before: result, direction: turned };
}

function directionAfter(direction: 1 | -1, gain: number): 1 | -1 {
  if (gain > 1 + NOTABLE) return direction;
  if (gain < 1 - NOTABLE) return direction === 1 ? -1 : 1;
  return -1;
}
