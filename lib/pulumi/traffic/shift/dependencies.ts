import { systemClock } from '../../../core/async';
import type { Clock } from '../../../core/async';
import { awsClients } from '../../../core/aws/clients';
import type { AwsClients } from '../../../core/aws/clients';
import { openKubernetes } from '../../../core/kubernetes/open';
import { takeBackVariable } from '../../../core/names';
import { InvalidInput } from '../../../core/validation/problems';
import { openCapacity } from '../../../shift/capacity';
import { checkContext, createChecks } from '../../../shift/checks';
import type { CheckSettings } from '../../../shift/checks';
import { runShift } from '../../../shift/engine';
import type { Capacity, Check, ShiftSubject } from '../../../shift/engine';
import { openLease } from '../../../shift/leases';
import type { LeaseSettings, OpenLease } from '../../../shift/leases';
import { openRouter } from '../../../shift/routers';
import type { OpenRouter, RouteSettings } from '../../../shift/routers';
import type { KnownCapacity } from './capacity-args';
import type { Notifier, PlacedLease } from '../../../shift/notify';
import { openProgramNotifier } from './notify';
import type { ProgramNotify } from './notify';
import type { LiveSplits, SplitKind } from './split-kind';

/** AWS and the real thing. */
export function shiftDependencies(): ShiftDependencies {
  return {
    clients: awsClients,
    rules: (kind, clients) => kind.live(clients),
    router: (route, clients) => openRouter(route, { clients }),
    lease: (settings = { ssm: {} }, { routerId, holder, clients }) =>
      openLease(settings, routerId, clients, holder),
    checks: (settings, subject) => createChecks(settings, checkContext(subject)),
    capacity: ({ settings, kubeconfigs }, subjects, id) =>
      openCapacity(settings, subjects, {
        id,
        open: ({ kubeconfig, context = '' }) => {
          const known = kubeconfig === undefined && Object.hasOwn(kubeconfigs, context);
          return openKubernetes(known ? { kubeconfigText: kubeconfigs[context] } : { kubeconfig, context });
        },
      }),
    notifier: openProgramNotifier,
    run: runShift,
    takesBack,
    clock: systemClock,
  };
}

/**
 * Whether this `pulumi up` is to take an unfinished shift back at once, by an environment variable: it is said of one `up`, and is
 * not in the program.
 *
 * @throws InvalidInput where the variable has another value than `true` or `false`
 */
export function takesBack(env: Readonly<Record<string, string | undefined>> = process.env): boolean {
  const { [takeBackVariable]: value = '' } = env;
  if (!['', 'true', 'false'].includes(value)) {
    throw new InvalidInput('the environment', [{ path: takeBackVariable, value, allowed: 'true or false' }]);
  }
  return value === 'true';
}

/** What a shift is made of; a test gives its own. */
export interface ShiftDependencies {
  /** Clients of AWS in a region, and of a role. */
  readonly clients: (access: { readonly region?: string; readonly roleArn?: string }) => AwsClients;
  readonly rules: (kind: SplitKind, clients: AwsClients) => LiveSplits;
  readonly router: (route: RouteSettings, clients: AwsClients) => OpenRouter;
  readonly lease: (settings: LeaseSettings | undefined, needs: LeaseNeeds) => Promise<OpenLease>;
  readonly checks: (settings: readonly CheckSettings[], subject: ShiftSubject) => readonly Check[];
  /** @param id of what is shifted, the same for each run */
  readonly capacity: (
    capacity: KnownCapacity,
    subjects: readonly [ShiftSubject, ...ShiftSubject[]],
    id: string,
  ) => Capacity;
  readonly notifier: (notify: ProgramNotify, lease: PlacedLease | undefined) => Notifier;
  readonly run: typeof runShift;
  /** Whether an unfinished shift that began with the wanted weights is taken back at once. */
  readonly takesBack: () => boolean;
  readonly clock: Clock;
}

/** What a lease is made of, beside its settings. */
export interface LeaseNeeds {
  /** What is shifted: `id` of a router. */
  readonly routerId: string;
  readonly holder: string;
  readonly clients: AwsClients;
}

/** AWS where the rules are. */
export interface SplitEnvironment {
  readonly parts: ShiftDependencies;
  readonly clients: AwsClients;
  readonly live: LiveSplits;
}
