import { checkContext, createChecks } from '../checks';
import type { CheckSettings } from '../checks';
import { combinedObserver, runShift, shiftPlan } from '../engine';
import type { ShiftObserver, ShiftOutcome, ShiftRun, ShiftSettings, SlotPreview } from '../engine';
import { memoryLease } from '../leases';
import { openRouter, subjectOf } from '../routers';
import type { RouteSettings } from '../routers';
import type { DemoFault } from './fleet';
import { DemoWorld, slowAboveMs } from './world';
import type { DemoTraffic, DemoWorldSettings, FaultPeriod } from './world';
import { previewHeader } from './weighted-proxy';

/** What a person may do while a demo runs. */
export interface DemoControls {
  /** Where visitors go: `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** Breaks green from now on. */
  readonly breakGreen: (fault: DemoFault) => void;
  /** Ends what is wrong with green. */
  readonly fixGreen: () => void;
  /** The fault of green now. */
  readonly fault: () => DemoFault | undefined;
}

/** What `runDemo` takes. */
export interface DemoOptions extends Partial<DemoWorldSettings> {
  /** What breaks: `outage` before the shift begins, `errors` and `latency` when green has a tenth of the traffic. */
  readonly fault: DemoFault | 'none';
  /** How the shift goes. @default - {@link demoShift} */
  readonly shift?: ShiftSettings;
  /** Is called, and waited for, when all of it runs and the shift is about to begin. @default - nothing */
  readonly onStarted?: (controls: DemoControls) => void | Promise<void>;
  /** What else `runShift` takes: an observer, signals. @default - nothing */
  readonly run?: Omit<Partial<ShiftRun>, 'plan' | 'router' | 'checks' | 'lease'>;
}

/** What came of a demo. */
export interface DemoRun {
  readonly outcome: ShiftOutcome;
  readonly traffic: DemoTraffic;
  readonly faults: readonly FaultPeriod[];
  /** Whether a person has asked for the way back. */
  readonly takenBack: boolean;
}

/** The default steps of a shift, so much faster that a person sees all of them. */
export const demoShift = {
  step: 'geometric',
  every: '3s',
  checkEvery: '500ms',
  bake: '3s',
  inconclusiveLimit: '1m',
} as const satisfies ShiftSettings;

/** Visitors' requests a second. */
export const demoVisitors = 100;

/** Weight of green from which on `errors` and `latency` show: a fault that needs some traffic. */
const breaksAt = 10;

/**
 * Runs a real shift between two fleets of HTTP servers of this process: the machine, the driver, a router and checks as they
 * are, only faster. Everything that it has started has ended when it answers.
 */
export async function runDemo(options: DemoOptions): Promise<DemoRun> {
  const { fault, seed = 1, visitorsPerSecond = demoVisitors, shift = demoShift, run = {} } = options;
  const world = new DemoWorld({ seed, visitorsPerSecond });
  let takenBack = false;
  const unsubscribe = run.requests?.subscribe(({ what }) => (takenBack ||= what === 'rollBack'));
  try {
    await world.start();
    if (fault === 'outage') {
      world.breakGreen(fault);
    }
    await options.onStarted?.({
      url: world.proxy.url,
      breakGreen: (chosen) => world.breakGreen(chosen),
      fixGreen: () => world.fixGreen(),
      fault: () => world.fault,
    });
    let isBroken = false;
    const breaking: ShiftObserver = {
      written: ({ weights: { green = 0 } }) => {
        if ((fault === 'errors' || fault === 'latency') && green >= breaksAt && !isBroken) {
          isBroken = true;
          world.breakGreen(fault);
        }
      },
    };
    const { router, checks } = openDemo(world);
    const outcome = await runShift({
      ...run,
      plan: shiftPlan(['blue', 'green'], { green: 100 }, shift),
      router,
      checks,
      lease: memoryLease(),
      observer: combinedObserver([breaking, run.observer ?? {}]),
    });
    await world.stop();
    return { outcome, traffic: world.traffic, faults: world.faults, takenBack };
  } finally {
    unsubscribe?.();
    await world.stop();
  }
}

/** The route and its check, as a plan file would have them. */
function openDemo({ proxy }: DemoWorld): Pick<ShiftRun, 'router' | 'checks'> {
  const preview = (slot: string): SlotPreview => ({ url: proxy.url, headers: { [previewHeader]: slot } });
  const route: RouteSettings = {
    router: { httpProxy: { address: proxy.adminUrl } },
    slots: { blue: { preview: preview('blue') }, green: { preview: preview('green') } },
  };
  const check: CheckSettings = {
    'httpProxy.comparison': {
      address: proxy.adminUrl,
      period: '1s',
      history: '10s',
      warmUp: '1s',
      slowAbove: `${slowAboveMs}ms`,
      synthetic: { rate: 10, before: '1s', round: '1s', timeout: '20s' },
    },
  };
  return {
    router: openRouter(route).withMissingTargets({ green: 100 }),
    checks: createChecks([check], checkContext(subjectOf(route))),
  };
}
