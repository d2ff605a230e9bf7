import { isDeepStrictEqual } from 'node:util';
import { laterValue, Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { problemsOf } from '../../core/validation/schema';
import { placesBefore, plannedPreviews, previewedRoutes } from './planned-previews';
import type { PlannedPreview } from './planned-previews';
import { conditionTotals, mostOfRule } from './rule-conditions';
import { previewValue } from './slot-previews-args';
import type { SlotPreviewsArgs } from './slot-previews-args';
import type { RuleSettings } from './weighted-rule';

/** What previews are held against. */
export interface PreviewSurroundings {
  /** Names of the fleet's slots. */
  readonly slots: readonly string[];
  readonly routes: Readonly<Record<string, RuleSettings>>;
  /**
   * Who has which priority of the listener already, the routes included.
   * @default - each route is a listener of its own, whose rules are before what it does by default
   */
  readonly priorities?: ReadonlyMap<number, string>;
}

/** What is wrong with previews beside what their schema says. */
export function previewsProblems(
  previews: SlotPreviewsArgs,
  around: PreviewSurroundings,
): readonly Problem[] {
  const problems = new Problems('previews');
  const { slots, routes } = around;
  const withRoutes = previewedRoutes(previews, routes);
  namesProblems(problems, previews, around);
  const places = placesProblems(previews, slots);
  problems.addAll(places);
  if (previews.hosts === undefined) {
    const values = slots.map((slot) => [slot, previews.values?.[slot] ?? slot] as const);
    problems.addAll(valueProblems(values, previews.cookie !== undefined));
  }
  for (const [name, route] of withRoutes) {
    routeProblems(problems, previews, name, route);
  }
  const planned = plannedPreviews(previews, slots, routes);
  hostsProblems(problems, previews, around, planned);
  for (const [name] of withRoutes) {
    const ofRoute = planned.filter(({ route }) => route === name);
    if (ofRoute.some(({ url }) => url === undefined)) {
      problems.require(
        `previews.urls.${name}`,
        'where the route answers, such as https://www.example.com: its conditions name no host',
      );
    }
  }
  // Two that are at one place have one problem.
  problems.addAll(places.length === 0 ? priorityProblems(planned, around) : []);
  return problems.all;
}

/** Every name is of a slot or of a route. */
function namesProblems(
  problems: Problems,
  { hosts = {}, values = {}, before = {}, routes: named, urls = {} }: SlotPreviewsArgs,
  { slots, routes }: PreviewSurroundings,
): void {
  const all = Object.keys(routes);
  const withPreviews = named ?? all;
  const unknown = (path: string, names: readonly string[], known: readonly string[], what: string): void => {
    for (const name of names.filter((each) => !known.includes(each))) {
      problems.add(`${path}.${name}`, name, `${what}: ${known.join(', ')}`);
    }
  };
  for (const [key, given] of Object.entries({ hosts, values, before })) {
    unknown(`previews.${key}`, Object.keys(given), slots, 'one of the slots of the fleet');
  }
  named?.forEach((route, index) => {
    if (!all.includes(route)) {
      problems.add(`previews.routes[${index}]`, route, `one of the routes: ${all.join(', ')}`);
    }
  });
  unknown('previews.urls', Object.keys(urls), withPreviews, 'a route that has previews');
  for (const [slot, host] of Object.entries(hosts)) {
    if (typeof host === 'object') {
      unknown(`previews.hosts.${slot}`, Object.keys(host), withPreviews, 'a route that has previews');
    }
  }
}

function placesProblems({ before = {} }: SlotPreviewsArgs, slots: readonly string[]): readonly Problem[] {
  const places = placesBefore(slots, before);
  return slots.flatMap((slot, index) => {
    const other = slots.slice(0, index).find((each) => places[each] === places[slot]);
    return other === undefined
      ? []
      : [
          {
            ...{ path: `previews.before.${slot}`, value: places[slot] },
            allowed: `another number than that of the slot "${other}"`,
          },
        ];
  });
}

/**
 * What is wrong with values, as far as they are known: each leads to one slot. A load balancer looks for a cookie's text
 * wherever it is among others.
 */
export function valueProblems(
  values: readonly (readonly [slot: string, value: unknown])[],
  isCookie: boolean,
): readonly Problem[] {
  const known = values.flatMap(([slot, value]) =>
    typeof value === 'string' && laterValue(value) === undefined ? [[slot, value] as const] : [],
  );
  return known.flatMap(([slot, value], index): Problem[] => {
    const path = `previews.values.${slot}`;
    const [wrong] = problemsOf(previewValue, value);
    const other = known.slice(0, index).find(([, each]) => isConfused(each, value, isCookie));
    if (wrong || other) {
      const words = `another than that of the slot "${other?.[0]}"`;
      const same = isCookie ? `${words}, and neither may begin with the other` : words;
      return [{ path, allowed: wrong?.allowed ?? `${same}; case does not count` }];
    }
    return [];
  });
}

function isConfused(one: string, other: string, isCookie: boolean): boolean {
  const [first, second] = [one.toLowerCase(), other.toLowerCase()];
  return first === second || (isCookie && (first.startsWith(second) || second.startsWith(first)));
}

/** Raw arguments that a rule of another action, or of another place, would be made of. */
const ownArgs = ['actions', 'priority', 'listenerArn'] as const;

function routeProblems(
  problems: Problems,
  { header, cookie, hosts }: SlotPreviewsArgs,
  name: string,
  route: RuleSettings,
): void {
  const path = `routes.${name}`;
  const { ruleArgs = {}, queryStrings, headers = {} } = route;
  for (const key of ownArgs.filter((each) => ruleArgs[each] !== undefined)) {
    problems.conflicts(
      `${path}.ruleArgs.${key}`,
      'previews, whose rules do not have it; name the other routes in previews.routes',
    );
  }
  if (queryStrings !== undefined) {
    problems.conflicts(
      `${path}.queryStrings`,
      'previews, which are asked for by a URL without a query; name the other routes in previews.routes',
    );
  }
  const asked = (header ?? (cookie === undefined ? undefined : 'Cookie'))?.toLowerCase();
  for (const own of Object.keys(headers).filter((each) => each.toLowerCase() === asked)) {
    problems.conflicts(`${path}.headers.${own}`, 'previews, which ask for the same header');
  }
  if (ruleArgs.conditions !== undefined) {
    return;
  }
  const { values, wildcards } = conditionTotals(
    hosts === undefined ? route : { ...route, hosts: ['preview.example.com'] },
  );
  if (values + (hosts === undefined ? 1 : 0) > mostOfRule.values) {
    problems.addSecret(
      `${path}.conditions`,
      `at most ${mostOfRule.values - 1} values in all conditions of a route with previews, which have one more`,
    );
  }
  if (wildcards + (cookie === undefined ? 0 : 2) > mostOfRule.wildcards) {
    problems.addSecret(
      `${path}.conditions`,
      `at most ${mostOfRule.wildcards - 2} wildcards in a route with previews by a cookie, which have two more`,
    );
  }
}

/** A host leads to one slot of one route, and takes no visitors away. */
function hostsProblems(
  problems: Problems,
  { hosts = {} }: SlotPreviewsArgs,
  { routes, priorities }: PreviewSurroundings,
  planned: readonly PlannedPreview[],
): void {
  for (const [slot, given] of Object.entries(hosts)) {
    if (typeof given === 'object') {
      continue;
    }
    const visited = Object.entries(routes).find(([, { hosts: own = [] }]) =>
      own.some((each) => each.toLowerCase() === given?.toLowerCase()),
    );
    if (visited) {
      problems.add(
        `previews.hosts.${slot}`,
        given,
        `a host of its own: visitors of the route "${visited[0]}" use it`,
      );
    }
  }
  planned.forEach(({ slot, route, by }, index) => {
    if (!('host' in by)) {
      return;
    }
    const host = by.host.toLowerCase();
    const perRoute = typeof hosts[slot] === 'object';
    const path = perRoute ? `previews.hosts.${slot}.${route}` : `previews.hosts.${slot}`;
    if (
      perRoute &&
      Object.values(routes).some(({ hosts: own = [] }) => own.some((each) => each.toLowerCase() === host))
    ) {
      problems.add(path, by.host, 'a host of its own: visitors of a route use it');
    }
    const same = planned
      .slice(0, index)
      .find(
        (each) =>
          'host' in each.by &&
          each.by.host.toLowerCase() === host &&
          (each.slot !== slot ||
            (priorities && isDeepStrictEqual(besideHosts(routes[each.route]), besideHosts(routes[route])))),
      );
    if (same && same.slot !== slot) {
      problems.add(path, by.host, `another host than that of the slot "${same.slot}"`);
    } else if (same) {
      problems.add(
        path,
        by.host,
        `a host for each route: the routes "${same.route}" and "${route}" differ in nothing else`,
      );
    }
  });
}

function besideHosts(route: RuleSettings | undefined): object {
  const { paths, methods, sourceIps, headers, ruleArgs } = route ?? {};
  return { paths, methods, sourceIps, headers, conditions: ruleArgs?.conditions };
}

function priorityProblems(
  planned: readonly PlannedPreview[],
  { priorities, routes }: PreviewSurroundings,
): readonly Problem[] {
  if (priorities === undefined) {
    return [];
  }
  const taken = new Map(priorities);
  return planned.flatMap(({ route, slot, priority }): Problem[] => {
    const path = `routes.${route}.priority`;
    const { priority: value } = routes[route]!;
    const distance = value - priority;
    if (priority < 1) {
      return [
        {
          ...{ path, value },
          allowed: `more than ${distance}: the preview of the slot "${slot}" is a rule ${distance} before it (previews.before)`,
        },
      ];
    }
    const other = taken.get(priority);
    taken.set(priority, other ?? `the preview of the slot "${slot}" for the route "${route}"`);
    // It would take requests that a rule between is for.
    const between = [...priorities].find(([each]) => each > priority && each < value)?.[1];
    return other === undefined && between === undefined
      ? []
      : [
          {
            ...{ path, value },
            allowed: `a number with ${distance} free before it on the listener, for the preview of the slot "${slot}" (previews.before): ${other ?? between} is there`,
          },
        ];
  });
}
