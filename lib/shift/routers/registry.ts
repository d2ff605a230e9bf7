import type { AwsAccess } from '../../core/aws/arns';
import type { AwsClients } from '../../core/aws/clients';
import type { RightsStatement } from '../../core/aws/iam';
import { dnsLabel } from '../../core/validation/formats';
import { knownKeys, nearKey } from '../../core/validation/known-keys';
import { InvalidInput, Problems, isMapping } from '../../core/validation/problems';
import type { Problem, Untyped } from '../../core/validation/problems';
import { weightProblems } from '../engine';
import type { ShiftSubject, ShiftedSlot } from '../engine';
import { albRule, albRuleProblems, albRuleRights } from './load-balancer/alb-rule';
import type { AlbRuleSettings } from './load-balancer/alb-rule';
import {
  albDefaultAction,
  albDefaultActionProblems,
  listenerRights,
  nlbListener,
  nlbListenerProblems,
} from './load-balancer/listeners';
import type { ListenerSettings } from './load-balancer/listeners';
import { untyped } from './load-balancer/settings';
import { route53, route53Problems, route53Rights } from './route53/route53';
import type { RecordType, Route53Settings } from './route53/route53';
import { kind, shiftedSlot } from './router-kind';
import type { AwsRouter, RouterKind, SlotSettings } from './router-kind';
import type { SimulatedSettings } from './simulated';

/** A router as a plan file has it: one of the keys, with the settings of that router. */
export type AwsRouterSettings =
  | {
      /** A rule of an Application Load Balancer's listener. */
      readonly albRule: AlbRuleSettings;
    }
  | {
      /** The default action of an Application Load Balancer's listener. */
      readonly albDefaultAction: ListenerSettings;
    }
  | {
      /** A Network Load Balancer's listener. */
      readonly nlbListener: ListenerSettings;
    }
  | {
      /** Weighted records of Route 53. */
      readonly route53: Route53Settings;
    };

const kinds = {
  albRule: kind<AlbRuleSettings>({ problems: albRuleProblems, rights: albRuleRights, make: albRule }),
  albDefaultAction: kind<ListenerSettings>({
    problems: albDefaultActionProblems,
    rights: listenerRights,
    make: albDefaultAction,
  }),
  nlbListener: kind<ListenerSettings>({
    problems: nlbListenerProblems,
    rights: listenerRights,
    make: nlbListener,
  }),
  route53: kind<Route53Settings>({ problems: route53Problems, rights: route53Rights, make: route53 }),
};

/** The keys of {@link AwsRouterSettings}. */
export const awsRouterKinds: readonly string[] = Object.keys(kinds);

/** What is wrong with a router's settings, whatever they are: paths begin with the router's key. */
export function awsRouterProblems(settings: unknown): readonly Problem[] {
  const problems = new Problems('router');
  const given = untyped(settings, problems, 'router');
  if (!given) {
    return problems.all;
  }
  const keys = Object.keys(given);
  const [key = ''] = keys;
  if (keys.length !== 1 || !Object.hasOwn(kinds, key)) {
    problems.add('router', keys, `a mapping with one of the keys ${awsRouterKinds.join(', ')}`);
  } else if (untyped(given[key], problems, key)) {
    problems.addAll(kinds[key as keyof typeof kinds].problems(given[key]), key);
  }
  return problems.all;
}

/**
 * The router of these settings.
 *
 * @param clients @default - clients of the router's own region and role
 * @throws InvalidInput with every problem of the settings
 */
export function awsRouter(settings: AwsRouterSettings, clients?: AwsClients): AwsRouter {
  const [of, own] = chosen(settings);
  return of.make(own, clients);
}

/**
 * The least rights that the router of these settings needs.
 *
 * @throws InvalidInput with every problem of the settings
 */
export function awsRouterRights(settings: AwsRouterSettings): readonly RightsStatement[] {
  const [of, own] = chosen(settings);
  return of.rights(own);
}

function chosen(settings: AwsRouterSettings): [RouterKind<unknown>, unknown] {
  const problems = awsRouterProblems(settings);
  if (problems.length > 0) {
    throw new InvalidInput('router', problems);
  }
  const [[key, own]] = Object.entries(settings) as [[string, unknown]];
  return [kinds[key as keyof typeof kinds] as RouterKind<unknown>, own];
}

/** What holds the weights of a route, and what stands behind each slot. */
export interface RouteSettings {
  /** What holds the weights. */
  readonly router: RouterSettings;
  /** 2 to 5 slots by name. */
  readonly slots: Readonly<Record<string, SlotSettings>>;
}

/** Exactly one of the keys. */
export type RouterSettings =
  /** A rule of an Application Load Balancer's listener. */
  | {
      readonly albRule: AwsAccess & {
        /** ARN of the rule. */
        readonly ruleArn: string;
      };
    }
  /** The default action of an Application Load Balancer's listener. */
  | {
      readonly albDefaultAction: AwsAccess & {
        /** ARN of the listener. */
        readonly listenerArn: string;
      };
    }
  /** A Network Load Balancer's listener. */
  | {
      readonly nlbListener: AwsAccess & {
        /** ARN of the listener. */
        readonly listenerArn: string;
      };
    }
  /** Weighted records. */
  | {
      readonly route53: AwsAccess & {
        /** Id of the hosted zone. */
        readonly hostedZoneId: string;
        /** Name of the records. */
        readonly recordName: string;
        /** Type of the records, or several, whose weights then go together. */
        readonly recordType: RecordType | readonly RecordType[];
      };
    }
  /** Weights in this process alone: to try a plan without AWS. */
  | { readonly simulated: SimulatedSettings };

/** The router's settings in the words of `awsRouter`, where each router knows its slots. */
export function awsRouterSettings({ router, slots }: RouteSettings): AwsRouterSettings {
  const [[kind, settings] = ['', {}]] = Object.entries(router) as [string, Untyped][];
  return routerWithSlots(kind, settings, slots) as unknown as AwsRouterSettings;
}

function routerWithSlots(kind: string, settings: Untyped, slots: Readonly<Record<string, object>>): Untyped {
  const [theirs, ours] = slotKey(kind);
  const bySlot = Object.fromEntries(
    Object.entries(slots).map(([slot, given]) => [slot, (given as Untyped)[ours]]),
  );
  return { [kind]: { ...settings, [theirs]: bySlot } };
}

/** What each router calls the mapping of its slots, and what a plan file calls it in each slot. */
function slotKey(kind: string): readonly [theirs: string, ours: string] {
  return kind === 'route53' ? ['setIdentifiers', 'setIdentifier'] : ['targetGroupArns', 'targetGroupArn'];
}

const layers: Readonly<Record<string, ShiftSubject['layer']>> = {
  nlbListener: 'connections',
  route53: 'names',
};

/** What checks are judged against before it is known whether the route itself is sound. */
export function roughSubject({ router, slots }: Untyped): ShiftSubject {
  const [[kind, settings] = ['', undefined]] = isMapping(router) ? Object.entries(router) : [];
  const { region, roleArn } = isMapping(settings) ? settings : {};
  return {
    layer: Object.hasOwn(layers, kind) ? layers[kind]! : 'http',
    slots: Object.fromEntries(
      Object.entries(isMapping(slots) ? slots : {}).map(([slot, given]) => [
        slot,
        shiftedSlot(isMapping(given) ? given : {}),
      ]),
    ),
    ...(typeof region === 'string' ? { region } : {}),
    ...(typeof roleArn === 'string' ? { roleArn } : {}),
  };
}

/** What checks have to know of a route that is sound. */
export function subjectOf(route: RouteSettings): ShiftSubject {
  if ('simulated' in route.router) {
    return roughSubject({ ...route });
  }
  // A router says what it is about before it calls anybody.
  const { subject } = awsRouter(awsRouterSettings(route));
  const slots = Object.entries(route.slots).map(([slot, settings]): [string, ShiftedSlot] => [
    slot,
    { ...subject.slots[slot], ...shiftedSlot(settings) },
  ]);
  return { ...subject, slots: Object.fromEntries(slots) };
}

const access = ['region', 'roleArn'];

const routerKeys: Readonly<Record<string, readonly string[]>> = {
  albRule: ['ruleArn', ...access],
  albDefaultAction: ['listenerArn', ...access],
  nlbListener: ['listenerArn', ...access],
  route53: ['hostedZoneId', 'recordName', 'recordType', ...access],
  simulated: ['live'],
};

/** The keys of `router`. */
export const routerKinds = [...awsRouterKinds, 'simulated'];

const [fewest, most] = [2, 5];

/** Everything that is wrong with a router and its slots; paths are those within the route. */
export function routeProblems(route: Untyped): readonly Problem[] {
  const problems = new Problems('route');
  const slots = slotsOf(problems, route.slots);
  const kind = kindOf(problems, route.router);
  if (kind === undefined) {
    return problems.all;
  }
  const router = (route.router as Untyped)[kind] ?? {};
  if (!isMapping(router)) {
    problems.add(`router.${kind}`, router, `a mapping with ${routerKeys[kind]!.join(', ')}`);
    return problems.all;
  }
  const settings = knownKeys(problems, `router.${kind}`, router, routerKeys[kind]!);
  const known = slotSettings(problems, slots, kind);
  if (kind === 'simulated') {
    checkLive(problems, settings.live, Object.keys(slots));
  } else {
    problems.addAll(awsProblems(kind, settings, known));
  }
  return problems.all;
}

function awsProblems(
  kind: string,
  settings: Untyped,
  slots: Readonly<Record<string, Untyped>>,
): readonly Problem[] {
  const [theirs, ours] = slotKey(kind);
  // Number and names of the slots are checked before, for every router.
  const own = new RegExp(`^${kind}\\.${theirs}(?:: slot name)?$`);
  const each = new RegExp(`^${kind}\\.${theirs}\\.(.*)$`);
  return awsRouterProblems(routerWithSlots(kind, settings, slots))
    .filter(({ path }) => !own.test(path))
    .map((problem) => {
      const slot = each.exec(problem.path)?.[1];
      return { ...problem, path: slot === undefined ? `router.${problem.path}` : `slots.${slot}.${ours}` };
    });
}

function kindOf(problems: Problems, router: unknown): string | undefined {
  const keys = isMapping(router) ? Object.keys(router) : [];
  const [kind = ''] = keys;
  if (keys.length === 1 && routerKinds.includes(kind)) {
    return kind;
  }
  const allowed = `a mapping with one of the keys ${routerKinds.join(', ')}`;
  const near = keys.length === 1 ? nearKey(kind, routerKinds) : undefined;
  if (keys.length === 1) {
    problems.addSecret(
      `router.${kind}`,
      near === undefined ? `one of ${routerKinds.join(', ')}` : `spelled "${near}"`,
    );
  } else {
    problems.add('router', isMapping(router) ? keys : router, allowed);
  }
  return undefined;
}

/** The slots as mappings; a slot without settings is one. */
function slotsOf(problems: Problems, given: unknown): Readonly<Record<string, unknown>> {
  if (!isMapping(given)) {
    problems.add('slots', given, `a mapping of ${fewest} to ${most} slots by name`);
    return {};
  }
  const names = Object.keys(given);
  if (names.length < fewest || names.length > most) {
    problems.add('slots', names, `a mapping of ${fewest} to ${most} slots by name`);
  }
  for (const name of names.filter((slot) => !dnsLabel.accepts(slot))) {
    problems.add(`slots.${name}`, name, dnsLabel.allowed);
  }
  return given;
}

function slotSettings(
  problems: Problems,
  slots: Readonly<Record<string, unknown>>,
  kind: string,
): Readonly<Record<string, Untyped>> {
  const keys = kind === 'simulated' ? ['targetGroupArn', 'clusterName'] : [slotKey(kind)[1], 'clusterName'];
  const clusters = new Map<unknown, string>();
  const entries = Object.entries(slots).map(([slot, given]): [string, Untyped] => {
    const path = `slots.${slot}`;
    if (!isMapping(given ?? {})) {
      problems.add(path, given, `a mapping with ${keys.join(', ')}`);
      return [slot, {}];
    }
    const known = knownKeys(problems, path, given ?? {}, keys);
    const { clusterName } = known;
    if (clusterName !== undefined) {
      checkClusterName(problems, `${path}.clusterName`, clusterName, clusters.get(clusterName));
      clusters.set(clusterName, slot);
    }
    return [slot, known];
  });
  return Object.fromEntries(entries);
}

/** @see https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html */
const clusterName = {
  allowed: 'the name of an EKS cluster: 1 to 100 letters, digits, "-" and "_", a letter or digit first',
  accepts: (value: unknown) => typeof value === 'string' && /^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$/.test(value),
};

function checkClusterName(problems: Problems, path: string, name: unknown, sameAs: string | undefined): void {
  if (problems.check(path, name, clusterName) && sameAs !== undefined) {
    problems.add(path, name, `another than that of the slot "${sameAs}"`);
  }
}

function checkLive(problems: Problems, live: unknown, slots: readonly string[]): void {
  if (live === undefined) {
    return;
  }
  if (!isMapping(live)) {
    problems.add('router.simulated.live', live, 'a mapping of whole percents by slot that add up to 100');
    return;
  }
  for (const problem of weightProblems(slots, live as Record<string, number>)) {
    problems.add(problem.path.replace(/^weights/, 'router.simulated.live'), problem.value, problem.allowed);
  }
}
