import { untilClear } from '../../../core/async';
import type { WaitLimits } from '../../../core/async';
import { formatDuration } from '../../../core/durations';
import { HookError } from '../../hooks';
import type { HandoverLog } from './compare-hubs';
import type { EksAccess, GivenRight } from './dependencies';

/** The right to write in one managed cluster, which is about to be given. */
export interface WriteRight {
  readonly clusterName: string;
  readonly policyArn: string;
  /** Roles of the other hubs, by slot. */
  readonly others: Readonly<Record<string, string>>;
}

/** @see https://docs.aws.amazon.com/eks/latest/APIReference/API_DisassociateAccessPolicy.html */
const confirmWithinMs = 60_000;

/**
 * Waits until no other hub has the right to write in a cluster: EKS is asked, and after its answer the API server gets time
 * to follow. A right that is still there, because an earlier run was killed before it could note that it gave it, is taken
 * away.
 *
 * @param settle milliseconds
 * @throws HookError where another hub keeps the right, or it is interrupted; then nobody has been given it
 */
export async function fenceOff(
  what: string,
  { clusterName, policyArn, others }: WriteRight,
  rights: EksAccess,
  settle: number,
  patience: Omit<WaitLimits, 'within'>,
  log: HandoverLog,
): Promise<void> {
  const { clock, signal } = patience;
  const look = async (): Promise<readonly string[]> => {
    const holders: string[] = [];
    for (const [slot, roleArn] of Object.entries(others)) {
      if ((await rights.policies(clusterName, roleArn, signal)).includes(policyArn)) {
        log.warn(`${what}: ${slot} still has the right to write in ${clusterName}; it is taken away`);
        await rights.takeAway(clusterName, roleArn, policyArn, signal);
        holders.push(`${slot} (${roleArn})`);
      }
    }
    return holders;
  };
  const holders = await untilClear(look, { ...patience, within: confirmWithinMs }).catch((error: Error) => {
    throw signal.aborted ? interrupted(what, clusterName) : error;
  });
  if (holders.length > 0 && !signal.aborted) {
    throw new HookError(
      `${what}: in ${clusterName} the right to write stays with ${holders.join(' and ')} after ` +
        `${formatDuration(confirmWithinMs)}; it is not given to a second hub`,
    );
  }
  if (settle > 0) {
    log.info(
      `${what}: no hub may write in ${clusterName} now; waits ${formatDuration(settle)} for its API server`,
    );
  }
  await clock.sleep(settle, signal);
  if (signal.aborted) {
    throw interrupted(what, clusterName);
  }
}

/**
 * Gives the hub that is to write its right where EKS does not know of it: a run that was killed while the right went may not
 * have noted that it is gone.
 *
 * @param fence keeps everybody else from writing, before the right is given
 * @throws HookError as `fence` does
 */
export async function ensureRight(
  what: string,
  right: GivenRight,
  rights: EksAccess,
  fence: () => Promise<void>,
  signal: AbortSignal,
  log: HandoverLog,
): Promise<void> {
  const { clusterName, roleArn, policyArn } = right;
  if ((await rights.policies(clusterName, roleArn, signal)).includes(policyArn)) {
    return;
  }
  log.warn(
    `${what}: the right to write in ${clusterName} is gone, though the state has it; it is given again`,
  );
  await fence();
  await rights.give(right, signal);
}

function interrupted(what: string, clusterName: string): HookError {
  return new HookError(
    `${what}: interrupted. The right to write in ${clusterName} is not given to another hub. ` +
      'Run pulumi up again to go on, or with the former "active" to go back.',
  );
}
