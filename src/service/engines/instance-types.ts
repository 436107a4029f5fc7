/** The instance types that tasks run on, and their prices. */
import type { ExecutionSettings } from '../../contract/task.ts';
import { costOf, microsOf } from '../../lib/decimal.ts';
import { ServiceError } from '../http/service-error.ts';

export interface InstanceType {
  readonly name: string;
  /** A task that uses more is ended. Undefined: as much as there is. */
  readonly memoryBytes?: number | undefined;
  /** Decimal numbers; for an hour. */
  readonly price: string;
  readonly interruptiblePrice: string;
}

/** The first is that of tasks that ask for none. */
export type InstanceTypes = readonly [InstanceType, ...InstanceType[]];

export const DEFAULT_INSTANCE_TYPES: InstanceTypes = [
  { name: 'local', price: '0.10', interruptiblePrice: '0.03' },
];

/** @throws ServiceError 7024 when there is no such type */
export function instanceTypeFor(types: InstanceTypes, settings: ExecutionSettings | undefined): InstanceType {
  // A name may go on with the disk, as `c4.2xlarge;ebs-gp2;1024`.
  const asked = settings?.instance_type?.split(';', 1)[0];
  if (!asked) return types[0];
  const found = types.find(({ name }) => name === asked);
  if (found === undefined) {
    const names = types.map(({ name }) => name).join(', ');
    throw new ServiceError(7024, `There is no instance type ${asked} here, but: ${names}.`);
  }
  return found;
}

/** The cost of running a task for so long, in millionths. */
export function instanceCost(
  type: InstanceType,
  use: { readonly interruptible: boolean; readonly ms: number },
): number {
  return costOf(microsOf(use.interruptible ? type.interruptiblePrice : type.price), use.ms);
}
