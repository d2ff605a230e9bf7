import type { Problem, Untyped } from '../problems';
import { dnsLabel, isMapping, knownKeys, nearKey, Problems } from '../problems';
import { awsRouterKinds, awsRouterProblems } from '../routers';
import { weightProblems } from '../shift';
import { routerWithSlots, slotKey } from './aws-router-settings';

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
