import { resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { mostTold } from '../../../core/validation/document';
import { isPlainObject } from '../../../core/validation/problems';
import type { PlainObject } from '../../../core/validation/problems';
import { pathText, problemsOf } from '../../../core/validation/schema';
import type { PathSteps, PlacedProblem } from '../../../core/validation/schema';
import { waveProblems } from '../../../shift/plan-file';
import { swapProblems } from './problems';
import { mostFleets, swapWavesSchema } from './swap-schema';

/** Whether a swap file is for several fleets. */
export function isForSeveral(content: unknown): content is PlainObject {
  return isPlainObject(content) && ('fleets' in content || 'waves' in content);
}

/**
 * The settings of one of several fleets with the common ones.
 *
 * @param own those of the fleet
 */
export function fleetSettings(all: PlainObject, own: PlainObject): PlainObject {
  const common = commonSettings(all);
  const phases = [common, own].map((each) => (isPlainObject(each.phases) ? given(each.phases) : {}));
  return {
    ...given(common),
    ...given(own),
    ...((isPlainObject(common.phases) || isPlainObject(own.phases)) && {
      phases: { ...phases[0], ...phases[1] },
    }),
  };
}

function commonSettings(all: PlainObject): PlainObject {
  const { fleets: _fleets, waves: _waves, waitBetweenWaves: _wait, ...common } = all;
  return common;
}

/** Keys with a value: a program may give some without. */
function given(settings: PlainObject): PlainObject {
  const entries = Object.entries(settings).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries);
}

/** As text. A program may give what no file has: a number of any size, an object within itself. */
function lengthOf(settings: PlainObject): number {
  try {
    return JSON.stringify(settings).length;
  } catch {
    return 0;
  }
}

/** The common settings are evaluated with each fleet; more than this would take seconds. */
const longestTogether = 500_000;

/**
 * Everything that is wrong with the content of a swap file for several fleets.
 *
 * @param base folder that paths in it start from
 */
export function swapWavesProblems(content: PlainObject, base: string): readonly PlacedProblem[] {
  const own = problemsOf(swapWavesSchema, content);
  const fleets = fleetsIn(content);
  if (own.length >= mostTold || fleets.length > mostFleets) {
    return own;
  }
  const length = lengthOf(commonSettings(content)) * fleets.length;
  if (length > longestTogether) {
    const allowed = `fewer, or with less in common: each is evaluated with it, and that makes ${length} characters`;
    return [...own, problem(['fleets'], `${allowed}, more than ${longestTogether}`)];
  }
  const together = [
    ...fleets.flatMap(({ name, settings }) =>
      swapProblems(fleetSettings(content, settings)).map((problem) =>
        at(placeOf(name, settings, content, problem.steps), problem),
      ),
    ),
    ...waveProblems(
      fleets.map(({ name }) => name),
      content.waves,
      'fleet',
    ),
    ...sameFleets(content, fleets),
    ...samePrograms(fleets, base),
    ...samePlans(content, fleets, base),
    ...sharedLocks(content, fleets, base),
  ];
  const told = new Set(own.map(({ path }) => path));
  const found = together.filter(({ path }) => !told.has(path));
  // What is common is wrong once, and of one value one problem is enough.
  return [...own, ...new Map(found.reverse().map((problem) => [problem.path, problem])).values()];
}

/** A fleet of the file, with what it says itself. */
interface GivenFleet {
  readonly name: string;
  readonly settings: PlainObject;
}

function fleetsIn({ fleets }: PlainObject): readonly GivenFleet[] {
  return Object.entries(isPlainObject(fleets) ? fleets : {}).flatMap(([name, settings]) =>
    isPlainObject(settings) ? [{ name, settings }] : [],
  );
}

function at(steps: PathSteps, problem: PlacedProblem): PlacedProblem {
  return { ...problem, steps, path: pathText(steps) };
}

function problem(steps: PathSteps, allowed: string, value?: unknown): PlacedProblem {
  return { path: pathText(steps), steps, allowed, ...(value !== undefined && { value }) };
}

/** Where a setting of a fleet is in the file: below the fleet, unless only the common settings have it. */
function placeOf(name: string, own: PlainObject, common: PlainObject, steps: PathSteps): PathSteps {
  const [key, phase] = steps.map(String);
  const has = (settings: PlainObject): boolean => {
    const value = key !== undefined && Object.hasOwn(settings, key) ? settings[key] : undefined;
    return key === 'phases' && phase !== undefined && isPlainObject(value)
      ? Object.hasOwn(value, phase)
      : value !== undefined;
  };
  return !has(own) && has(common) ? steps : ['fleets', name, ...steps];
}

/** One swap of a fleet at a time: a file that has it twice would wait for itself. */
function sameFleets(content: PlainObject, fleets: readonly GivenFleet[]): readonly PlacedProblem[] {
  const known = fleets.flatMap(({ name, settings }) => {
    const { fleet, region } = fleetSettings(content, settings);
    return typeof fleet === 'string' ? [{ name, fleet, region }] : [];
  });
  return known.flatMap(({ name, fleet, region }, index): readonly PlacedProblem[] => {
    const others = known.filter((each) => each.fleet === fleet && each.name !== name);
    const before = known.slice(0, index).find((each) => each.fleet === fleet && each.region === region);
    if (others.length > 0 && region === undefined) {
      const allowed = `an AWS region, since the fleet ${others[0]!.name} is called ${fleet} as well`;
      return [{ ...problem(['fleets', name, 'region'], allowed), kind: 'required' }];
    }
    return before
      ? [
          problem(
            ['fleets', name],
            `another fleet than ${before.name}: both are ${fleet} in ${String(region)}`,
          ),
        ]
      : [];
  });
}

/** Where the program of a fleet keeps its configuration. */
interface ProgramPlace {
  /** What only one deployment at a time can have, for a person. @default - nothing is known of that */
  readonly lock?: { readonly of: string; readonly id: unknown };
  /** The configuration of the fleet there. */
  readonly id: unknown;
}

function programPlace({ program }: PlainObject, base: string): ProgramPlace | undefined {
  const { pulumi, git, commands } = isPlainObject(program) ? program : {};
  if (isPlainObject(pulumi)) {
    const { folder = '.', stack, slots } = pulumi;
    const name = String(stack);
    // A stack with its organization and project is the same from every folder.
    const id = name.split('/').length === 3 ? name : [resolve(base, String(folder)), name.split('/').at(-1)];
    return { id: [id, slots], lock: { of: `Pulumi stack ${name}, which has one lock`, id } };
  }
  if (isPlainObject(git)) {
    const { repository, branch = 'main', file, slots } = git;
    const id = [String(repository).replace(/(?:\.git)?\/*$/, ''), branch, file];
    return { id: [id, slots], lock: { of: `the file ${String(file)} of one branch`, id } };
  }
  return isPlainObject(commands) ? { id: commands } : undefined;
}

/** Two fleets of one configuration would undo each other. */
function samePrograms(fleets: readonly GivenFleet[], base: string): readonly PlacedProblem[] {
  const places = fleets.map(({ name, settings }) => ({ name, place: programPlace(settings, base) }));
  return places.flatMap(({ name, place }, index): readonly PlacedProblem[] => {
    const before = places.slice(0, index).find((each) => isDeepStrictEqual(each.place?.id, place?.id));
    return place && before
      ? [
          problem(
            ['fleets', name, 'program'],
            `another one than that of ${before.name}: both have the same configuration`,
          ),
        ]
      : [];
  });
}

/** A plan says which rule it writes: that of one fleet. */
function samePlans(
  content: PlainObject,
  fleets: readonly GivenFleet[],
  base: string,
): readonly PlacedProblem[] {
  const plans = fleets.flatMap(({ name, settings }) => {
    const { phases } = fleetSettings(content, settings);
    const { plan } = isPlainObject(phases) && isPlainObject(phases.shift) ? phases.shift : {};
    return typeof plan === 'string' ? [{ name, settings, path: resolve(base, plan) }] : [];
  });
  return plans.flatMap(({ name, settings, path }, index): readonly PlacedProblem[] => {
    const before = plans.slice(0, index).find((each) => each.path === path);
    return before
      ? [
          problem(
            placeOf(name, settings, content, ['phases', 'shift', 'plan']),
            `a plan for each fleet: ${before.name} and ${name} have the same, which moves the traffic of one of them`,
          ),
        ]
      : [];
  });
}

/** Fleets of one wave deploy at the same time. */
function sharedLocks(
  { waves }: PlainObject,
  fleets: readonly GivenFleet[],
  base: string,
): readonly PlacedProblem[] {
  const locks = new Map<unknown, ProgramPlace['lock']>(
    fleets.map(({ name, settings }) => [name, programPlace(settings, base)?.lock]),
  );
  return (Array.isArray(waves) ? (waves as readonly unknown[]) : []).flatMap((wave, index) => {
    const names: readonly unknown[] = Array.isArray(wave) ? wave : [];
    const known = [...new Set(names)].filter((name) => locks.get(name) !== undefined) as readonly string[];
    return known.flatMap((name, position): readonly PlacedProblem[] => {
      const { id, of } = locks.get(name)!;
      const before = known.slice(0, position).find((each) => isDeepStrictEqual(locks.get(each)!.id, id));
      return before === undefined
        ? []
        : [
            problem(
              ['waves', index, names.indexOf(name)],
              `in another wave than ${before}: both change ${of}`,
              name,
            ),
          ];
    });
  });
}
