import { findingsOfMount } from '../../describe/mount-health.ts';
import type { Finding } from '../../finding.ts';
import type { MountStatus } from '../../mount/control-messages.ts';
import { describeWaits } from '../../mount/describe-waits.ts';
import type { Health, Notice } from '../page-model.ts';

export interface Verdict {
  readonly health: Health;
  /** For the list of mounts. */
  readonly state: string;
  readonly notices: readonly Notice[];
}

/** How a mount that answers is, by the findings of `svcfs status`. */
export function verdictOf(
  status: MountStatus,
  looked: { readonly mountPoint: string; readonly kept: number; readonly nowMs: number },
): Verdict {
  const findings = findingsOfMount(status, looked);
  const [worst] = [...findings].sort((a, b) => Number(b.state === 'fault') - Number(a.state === 'fault'));
  const waits = describeWaits(status.statistics.api).map((text): Notice => ({ health: 'warning', text }));
  return {
    health: worst === undefined ? 'well' : healthOf(worst),
    state: worst === undefined ? activity(status) : textOf(worst),
    notices: [
      ...findings.filter(({ check }) => check !== 'requests' || waits.length === 0).map(noticeOf),
      ...waits,
    ],
  };
}

/** How one is whose process says nothing. */
export function silent(text: string): Verdict {
  return { health: 'fault', state: 'does not answer', notices: [{ health: 'fault', text }] };
}

function healthOf({ state }: Finding): 'fault' | 'warning' {
  return state === 'fault' ? 'fault' : 'warning';
}

function textOf({ check, found }: Finding): string {
  return `${check}: ${found}`;
}

function noticeOf(finding: Finding): Notice {
  return { health: healthOf(finding), text: textOf(finding), remedy: finding.remedy };
}

function activity({ uploads, jobs }: MountStatus): string {
  const moving = uploads.filter(({ state }) => state !== 'failed').length;
  const unfinished = jobs.filter(({ state }) => state === 'pending' || state === 'running').length;
  const told = [
    ...(moving === 0 ? [] : [moving === 1 ? '1 upload' : `${moving} uploads`]),
    ...(unfinished === 0 ? [] : [unfinished === 1 ? '1 job' : `${unfinished} jobs`]),
  ];
  return told.length === 0 ? 'idle' : told.join(', ');
}
