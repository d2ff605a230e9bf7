import { sleep } from '../../core/async';
import { stackState } from './engine';
import type { StackApi } from './engine';
import { pendingOperations, stackUrn, unsettled, withPendingCreates } from './stack-state';
import { safe } from './progress';

/** What a repair does with the stack. */
export interface RepairHelp {
  readonly say: (line: string) => void;
  /** Refreshes these resources. */
  readonly refresh: (urns: readonly string[]) => Promise<void>;
  /** Milliseconds between two looks at what AWS is still making. */
  readonly pause: number;
  readonly signal: AbortSignal;
}

/**
 * Brings the state of a stack in line with the cloud, where an engine was killed. Every operation of the engine drops what was pending
 * but creations. Those whose ID is known are taken into the state and waited for: a cluster is not made a second time.
 *
 * @returns URNs of creations of which it is not known what came of them
 */
export async function repairState(
  stack: Pick<StackApi, 'exportStack' | 'importStack'>,
  { say, refresh, pause, signal }: RepairHelp,
): Promise<readonly string[]> {
  const { deployment } = await stackState(stack);
  const pending = pendingOperations(deployment);
  pending.forEach(({ type, urn }) => say(safe(`an earlier deployment was killed while ${type} ${urn}`)));
  const creates = pending.filter(({ type }) => type === 'creating').map(({ urn }) => urn);
  const changed = pending.filter(({ type, isKnown }) => type !== 'creating' && isKnown).map(({ urn }) => urn);
  const mayAdopt = withPendingCreates(deployment) !== undefined;
  // Another update must not write the state meanwhile: a refresh waits for the lock of the stack.
  const root = mayAdopt && changed.length === 0 ? [stackUrn(deployment)] : [];
  const due = [...new Set(changed), ...root].filter((urn) => urn !== undefined);
  if (due.length > 0) {
    await refresh(due);
  }
  const adopted = mayAdopt ? await adopt(stack) : [];
  let left = mayAdopt || changed.length > 0 ? await unsettledOf(stack) : unsettled(deployment);
  while (left.length > 0) {
    await refresh(left);
    left = await unsettledOf(stack);
    if (left.length > 0) {
      say(safe(`AWS is still making ${left.join(', ')}; waiting for it`));
      await sleep(pause, signal);
    }
  }
  return creates.filter((urn) => !adopted.includes(urn));
}

async function adopt(stack: Pick<StackApi, 'exportStack' | 'importStack'>): Promise<readonly string[]> {
  const current = await stackState(stack);
  const adopted = withPendingCreates(current.deployment);
  if (adopted) {
    await stack.importStack({ ...current, deployment: adopted.deployment });
  }
  return adopted?.urns ?? [];
}

async function unsettledOf(stack: Pick<StackApi, 'exportStack'>): Promise<readonly string[]> {
  return unsettled((await stackState(stack)).deployment);
}
