import type { Plan } from '../../plans';
import { openRoute } from '../../plans';
import { describeWeights, markEnded, systemClock } from '../../shift';
import { takeInterrupts } from '../interrupts';
import { writeOut } from '../output';

/**
 * Marks the record of the only route as ended, so that the next shift starts from the live weights.
 *
 * @throws LeaseTaken where a shift runs
 */
export async function forgetRoute(plan: Plan): Promise<void> {
  const [name] = Object.keys(plan.routes);
  const route = await openRoute(plan, name!);
  // It takes a second, and between its two writes the lease is held.
  const interrupts = takeInterrupts(() => undefined);
  let said: string;
  try {
    const record = await markEnded(route.lease, { at: systemClock.now(), verdict: 'forgotten', live: null });
    said = record
      ? `the shift from ${describeWeights(record.origin)} to ${describeWeights(record.wanted)} is forgotten`
      : 'there is no unfinished shift';
  } finally {
    interrupts.release();
    route.close();
  }
  await writeOut([`${name}: ${said}; ${route.router.name} is as it was.`]);
}
