import type { Plan } from '../../plans';
import { openRoute } from '../../plans';
import { writeOut } from '../output';

/**
 * Takes the record of the only route away, so that the next shift starts from the live weights.
 *
 * @throws LeaseTaken where a shift runs
 */
export async function forgetRoute(plan: Plan): Promise<void> {
  const [name] = Object.keys(plan.routes);
  const route = await openRoute(plan, name!);
  try {
    await route.lease.acquire();
    await route.lease.release(true);
  } finally {
    route.close();
  }
  await writeOut(`${name}: where it came from is forgotten; ${route.router.name} is as it was.\n`);
}
