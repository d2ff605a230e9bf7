import { slotRecordRoutes, slotRoutes } from '../../../lib/operate/live-traffic';
import {
  carryOut,
  clockOf,
  emergencyClients,
  openEvacuation,
  planEvacuation,
} from '../../../lib/shift/evacuate';
import type {
  EvacuationControl,
  EvacuationReport,
  EvacuationRequest,
  PlannedRoute,
} from '../../../lib/shift/evacuate';
import type { LeaseSettings } from '../../../lib/shift/leases';
import type { FleetSetting } from './fleet-server';
import { FleetServer } from './fleet-server';

const before = { ...process.env };

/** The fleet of the test that runs. */
export let server: FleetServer;

let stop: (() => void) | undefined;

/** Starts the fleet of a test. */
export async function start(setting: FleetSetting): Promise<FleetServer> {
  server = await new FleetServer(setting).start();
  stop = () => server.stop();
  Object.assign(process.env, server.env);
  return server;
}

afterEach(() => {
  stop?.();
  process.env = { ...before };
});

/** The evacuation of green. */
export const request = { slot: 'green' };

/** What differs from the command. */
export interface EvacuationWays {
  readonly control?: Partial<EvacuationControl>;
  readonly lease?: LeaseSettings;
  /** Whether records of Route 53 are looked for, too. @default false */
  readonly records?: boolean;
  /** Happens between the decision and the writes. */
  readonly decided?: (plan: readonly PlannedRoute[]) => unknown;
}

/** As the command does it, but for the question. */
export async function evacuate(
  given: EvacuationRequest = request,
  signal?: AbortSignal,
  { control: own, lease, records, decided }: EvacuationWays = {},
): Promise<EvacuationReport & { readonly said: readonly string[] }> {
  const clients = emergencyClients({ region: 'eu-west-1' });
  const said: string[] = [];
  const { routes, targetGroups, ...identity } = await slotRoutes(clients, `apps-${given.slot}`, undefined);
  const opened = await openEvacuation({ routes, ...(lease && { lease }) }, clients);
  const closing = [opened];
  const control = {
    say: (line: string) => void said.push(line),
    by: 'alex@laptop',
    ...(signal && { signal }),
    ...own,
  };
  const search = async () => {
    const { routes: found, problems } = await slotRecordRoutes(clients, identity);
    const names = await openEvacuation({ routes: found, targetGroups }, clients);
    closing.push(names);
    return { plan: await planEvacuation(names.routes, given, control), problems };
  };
  try {
    const startedAt = clockOf(control).now();
    const later = records === true ? search() : undefined;
    later?.catch(() => undefined);
    const plan = await planEvacuation(opened.routes, given, control);
    await decided?.(plan);
    const evacuation = { plan, request: given, startedAt, ...(later && { later }) };
    return { ...(await carryOut(evacuation, control)), said };
  } finally {
    closing.forEach((each) => each.close());
    clients.close();
  }
}
