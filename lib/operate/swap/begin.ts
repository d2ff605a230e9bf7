import type { SwapStarted } from './machine/events';
import type { OpenSwap } from './open-swap';
import { swapOutlook } from './outlook';
import type { SwapObserve } from './swap-run';

/** What a swap would fail by is known before it begins: nothing is written then. */
export class SwapNotBegun extends Error {
  public constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.name = 'SwapNotBegun';
  }
}

/** What of an opened swap is looked at before it begins. */
type Begun = Pick<OpenSwap, 'plan' | 'program' | 'mover' | 'observe' | 'fileProblems'>;

/**
 * What keeps a swap from being run on this machine, a line each: programs, manifests, kubeconfigs and the plan of its shift that
 * can't be used. Nothing is asked.
 */
export async function problemsHere({
  program,
  mover,
  fileProblems,
}: Pick<Begun, 'program' | 'mover'> & Partial<Pick<Begun, 'fileProblems'>>): Promise<readonly string[]> {
  return [
    ...((await fileProblems?.()) ?? []),
    ...(mover?.look?.().problems ?? []),
    ...(program.problems?.() ?? []),
  ];
}

/**
 * Looks at what there is; before a swap begins, also at what it needs of this machine. One that has begun goes on as it can, and a
 * fleet that has the version needs nothing.
 *
 * @param started how the run was started, once it is
 * @param now milliseconds since 1970
 */
export function observeBegin(
  open: Begun,
  started: () => SwapStarted | undefined,
  now: () => number,
): SwapObserve {
  let isFirst = true;
  return async (signal) => {
    const seen = await open.observe(signal);
    const start = started();
    const { record, ask, adopt = false, retry = false } = start ?? {};
    if (isFirst && ask === 'forward' && (record === undefined || record.ended !== undefined)) {
      const { swaps } = swapOutlook(open.plan, { seen, now: now(), adopt, retry, ...(record && { record }) });
      const problems = swaps.length > 0 ? await problemsHere(open) : [];
      if (problems.length > 0) {
        throw new SwapNotBegun(problems);
      }
    }
    isFirst = false;
    return seen;
  };
}
