import { within } from '../../core/async';
import { errorLine } from '../../core/validation/problems';
import { userOnMachine } from '../leases';
import type { EvacuationRequest } from './decision';
import { noteEvacuation } from './note';
import { LeaseCalls, clockOf } from './patience';
import type { EvacuationControl } from './patience';
import type { PlannedRoute } from './plan';

/** How long it has after everything else is done, in milliseconds: capacity is never waited for. */
const grace = 3_000;

/** For the lease of a route, which has what was raised on record before it is raised. */
const longestSilence = 5_000;

/** The capacity of slots that get traffic, raised while that is moved. */
export class Raising {
  private readonly over = new AbortController();
  private readonly lines: Promise<readonly string[]>;

  /** Begins. Routes without capacity, and those that are not written, have nothing to raise. */
  public constructor(
    plan: readonly PlannedRoute[],
    request: EvacuationRequest,
    private readonly control: EvacuationControl,
  ) {
    const { over } = this;
    control.signal?.addEventListener('abort', () => over.abort());
    this.lines = Promise.all(
      plan.map((each) => raised(each, request, { ...control, signal: over.signal })),
    ).then((lines) => lines.flat());
  }

  /** What came of it, a line each; what is not done a moment after the weights are ends there. */
  public async end(): Promise<readonly string[]> {
    try {
      return (await within(grace, this.control.signal, () => this.lines)) ?? [];
    } catch (error) {
      return [`capacity: not all of it is raised: ${errorLine(error)}`];
    } finally {
      this.over.abort();
    }
  }
}

async function raised(
  { route, decision, before, known }: PlannedRoute,
  { slot }: EvacuationRequest,
  control: EvacuationControl,
): Promise<readonly string[]> {
  if (!route.capacity || decision.kind !== 'write' || !before || !known) {
    return [];
  }
  const { weights } = decision;
  const leases = new LeaseCalls(control, longestSilence);
  const clock = clockOf(control);
  try {
    const { record } = await leases.ask((signal) => route.lease.look(signal));
    const { status, reason } = await route.capacity.prepare(
      {
        origin: before,
        next: weights,
        wanted: weights,
        ...(record?.raised && { raised: record.raised }),
        remember: async (capacity) => {
          const change = {
            before,
            after: null,
            wanted: weights,
            at: Math.round(clock.wall?.() ?? clock.now()),
            by: control.by ?? userOnMachine(),
            raised: capacity,
          };
          await noteEvacuation(route.lease, [slot], change, leases);
        },
      },
      control.signal,
    );
    return status === 'pass' ? [] : [`${route.name}: capacity: ${reason}`];
  } catch (error) {
    return [`${route.name}: capacity could not be raised: ${errorLine(error)}`];
  }
}
