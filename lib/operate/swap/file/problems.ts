import { isPlainObject } from '../../../core/validation/problems';
import type { PlainObject } from '../../../core/validation/problems';
import { pathText, placedBelow, problemsOf } from '../../../core/validation/schema';
import type { PathSteps, PlacedProblem } from '../../../core/validation/schema';
import { checkProblems } from '../../../shift/checks';
import { kubeconfigProblems } from '../../../shift/plan-file';
import { samePreviews } from '../../../shift/probes';
import { isInProcess, roughSubject, routeProblems } from '../../../shift/routers';
import type { FleetConfiguration } from '../configuration';
import { compareVersions } from '../machine/legs';
import { swapSchema } from './swap-schema';

/** Names that slots take where the file names none. */
export const defaultSlots = ['blue', 'green'] as const;

/** Everything that is wrong with the content of a swap file. */
export function swapProblems(content: unknown): readonly PlacedProblem[] {
  const own = problemsOf(swapSchema, content);
  if (!isPlainObject(content)) {
    return own;
  }
  const { via, to } = content;
  const slots = slotNames(content);
  const told = new Set(own.map(({ path }) => path));
  const together = [
    ...slotProblems(content.slots),
    ...versionProblems(via, to),
    ...movesProblems(content),
    ...routeOf(content, slots),
    ...previewsOf(content.previews, slots),
    ...phasesProblems(content, slots),
  ];
  const found = together.filter(({ path }) => !told.has(path));
  // Of one value one problem is enough.
  return [...own, ...new Map(found.reverse().map((problem) => [problem.path, problem])).values()];
}

function slotNames({ slots }: PlainObject): readonly string[] {
  const given = Array.isArray(slots) ? slots.filter((each) => typeof each === 'string') : [];
  return given.length > 1 ? given : defaultSlots;
}

function placed(steps: PathSteps, allowed: string, value?: unknown): PlacedProblem {
  return { path: pathText(steps), steps, allowed, ...(value !== undefined && { value }) };
}

function slotProblems(slots: unknown): readonly PlacedProblem[] {
  const names: readonly unknown[] = Array.isArray(slots) ? slots : [];
  const seen = new Set<unknown>();
  return names.flatMap((name, index) => {
    const isAgain = seen.has(name);
    seen.add(name);
    return isAgain ? [placed(['slots', index], 'another name: a slot before it has this one', name)] : [];
  });
}

/** Versions go up, and none of them is beyond the wanted one. */
function versionProblems(via: unknown, to: unknown): readonly PlacedProblem[] {
  const given: readonly unknown[] = Array.isArray(via) ? via : [];
  return given.flatMap((each, index) => {
    const [before, version, last] = [given[index - 1], each, to].map(knownVersion);
    if (version === undefined) {
      return [];
    }
    return before !== undefined && compareVersions(version, before) <= 0
      ? [placed(['via', index], `newer than ${before}, which is before it`, version)]
      : last !== undefined && compareVersions(version, last) >= 0
        ? [placed(['via', index], `older than ${last}, where it leads to`, version)]
        : [];
  });
}

function knownVersion(setting: unknown): string | undefined {
  const version = isPlainObject(setting) ? setting.version : setting;
  return typeof version === 'string' && /^1\.\d{1,3}$/.test(version) ? version : undefined;
}

/** Whether traffic or hubs move, the program has to know. */
function movesProblems({ moves = 'traffic', program, route }: PlainObject): readonly PlacedProblem[] {
  const kind = isPlainObject(program)
    ? ['pulumi', 'git'].find((each) => isPlainObject(program[each]))
    : undefined;
  const settings = kind === undefined ? {} : ((program as PlainObject)[kind] as PlainObject);
  const [wanted, other] =
    moves === 'hub' ? (['active', 'weights'] as const) : (['weights', 'active'] as const);
  const places: readonly (keyof FleetConfiguration)[] = [wanted, other];
  const isOther =
    kind !== undefined && settings[places[0]!] === undefined && settings[places[1]!] !== undefined;
  return [
    ...(isOther ? [placed(['program', kind, other], `"${wanted}", since moves is "${String(moves)}"`)] : []),
    ...(moves === 'hub' && route !== undefined
      ? [placed(['route'], 'left out: where hubs move, no weights are read')]
      : []),
  ];
}

function routeOf({ route }: PlainObject, slots: readonly string[]): readonly PlacedProblem[] {
  if (route === undefined) {
    return [];
  }
  if (!isPlainObject(route)) {
    return [placed(['route'], 'an object with router and slots')];
  }
  const others = Object.keys(route).filter((key) => !['router', 'slots'].includes(key));
  const named = isPlainObject(route.slots) ? Object.keys(route.slots) : [];
  return [
    ...others.map((key): PlacedProblem => ({
      ...placed(['route', key], '; known keys: router, slots'),
      kind: 'unknown',
    })),
    ...placedBelow(['route'], routeProblems(route)),
    ...(isInProcess(route.router)
      ? [
          placed(
            ['route', 'router'],
            'a router that holds live weights: a simulated one knows nothing of them',
          ),
        ]
      : []),
    ...named
      .filter((name) => !slots.includes(name))
      .map((name) => placed(['route', 'slots', name], `one of the slots ${slots.join(', ')}`, name)),
  ];
}

function previewsOf(previews: unknown, slots: readonly string[]): readonly PlacedProblem[] {
  if (!isPlainObject(previews)) {
    return [];
  }
  return [
    ...Object.keys(previews)
      .filter((name) => !slots.includes(name))
      .map((name) => placed(['previews', name], `one of the slots ${slots.join(', ')}`, name)),
    ...[...samePreviews(previews)].map(([name, other]) =>
      placed(['previews', name], `another one than that of ${other}: it leads to one slot`),
    ),
  ];
}

/** Phases that ask checks. */
const asking = ['deliver', 'try', 'soak'] as const;

function phasesProblems(content: PlainObject, slots: readonly string[]): readonly PlacedProblem[] {
  const phases: PlainObject = isPlainObject(content.phases) ? content.phases : {};
  const of = (name: string): PlainObject => {
    const settings = phases[name];
    return isPlainObject(settings) ? settings : {};
  };
  const subject = subjectOf(content, slots);
  const { checks: delivered, skip: isUndelivered } = of('deliver');
  const isSilent = Array.isArray(delivered) ? delivered.length === 0 : delivered === undefined;
  const { prescale } = phases;
  return [
    ...asking.flatMap((name) => {
      const { checks } = of(name);
      return checks === undefined
        ? []
        : placedBelow(['phases', name], [...kubeconfigProblems(checks), ...checkProblems(checks, subject)]);
    }),
    ...(isSilent &&
    isUndelivered !== true &&
    content.moves !== 'hub' &&
    !(delivered === undefined && Array.isArray(of('drain').hubs))
      ? [
          placed(
            ['phases', 'deliver', 'checks'],
            'at least one check, such as { argoApplications: {} }: else nobody knows whether the applications are on ' +
              'the new cluster. Or give phases.drain.hubs, whose Argo CD is asked, or "skip: true"',
          ),
        ]
      : []),
    ...(content.moves === 'hub' && of('shift').plan !== undefined
      ? [placed(['phases', 'shift', 'plan'], 'left out: a handover between hubs has no plan')]
      : []),
    ...(content.moves === 'hub' && isPlainObject(prescale) && prescale.healthy !== undefined
      ? [placed(['phases', 'prescale', 'healthy'], 'left out: hubs have no targets')]
      : []),
  ];
}

/** What checks are evaluated against: what the file knows of the slots. */
function subjectOf(
  { fleet, route, previews }: PlainObject,
  slots: readonly string[],
): ReturnType<typeof roughSubject> {
  const given = isPlainObject(route) ? route : {};
  const ofRoute: PlainObject = isPlainObject(given.slots) ? given.slots : {};
  const shown: PlainObject = isPlainObject(previews) ? previews : {};
  const named = slots.map((slot) => {
    const own = ofRoute[slot];
    return [
      slot,
      {
        clusterName: `${String(fleet)}-${slot}`,
        ...(isPlainObject(own) ? own : {}),
        ...(shown[slot] !== undefined && { preview: shown[slot] }),
      },
    ];
  });
  return roughSubject({ ...given, slots: Object.fromEntries(named) as PlainObject });
}
