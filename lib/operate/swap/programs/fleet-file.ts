import { isDeepStrictEqual } from 'node:util';
import { editedYaml, NotEditable } from '../../../core/validation/yaml-edit';
import type { YamlEdit } from '../../../core/validation/yaml-edit';
import { InvalidInput, isPlainObject } from '../../../core/validation/problems';
import { readForeignSettings } from '../../../core/validation/read-settings';
import { pathText } from '../../../core/validation/schema';
import type { PathSteps, PlacedProblem } from '../../../core/validation/schema';
import type { FleetConfiguration } from '../configuration';
import { fleetProblems } from './fleet-values';

/** Where a YAML or JSON file says what a fleet is: keys that lead there. Exactly one of `weights` and `active` is given. */
export interface FleetPlaces {
  readonly slots: readonly string[];
  readonly weights?: readonly string[];
  readonly active?: readonly string[];
}

const parts = ['slots', 'weights', 'active'] as const;

/**
 * What a file says of a fleet.
 *
 * @param file its name, for messages
 * @throws InvalidInput with everything that is wrong, each with its line
 */
export function readFleet(text: string, file: string, places: FleetPlaces): FleetConfiguration {
  const content = readForeignSettings<unknown>(text, file, (given) => {
    const secrets = parts.flatMap((part) => secretProblems(given, places[part]));
    return secrets.length > 0 ? secrets : problemsIn(given, places);
  });
  return fleetIn(content, places) as unknown as FleetConfiguration;
}

/**
 * The file with this configuration in it; nothing else is changed.
 *
 * @throws InvalidInput where that can't be done
 */
export function withFleet(
  text: string,
  file: string,
  places: FleetPlaces,
  configuration: FleetConfiguration,
): string {
  const content = readForeignSettings<unknown>(text, file, () => []);
  const edits = parts.flatMap((part): YamlEdit[] => {
    const path = places[part];
    const value = configuration[part];
    if (path === undefined || value === undefined) {
      return [];
    }
    const isJson = part !== 'active' && typeof valueAt(content, path) === 'string';
    return [{ path, value: isJson ? JSON.stringify(value) : value }];
  });
  try {
    const result = editedYaml(text, edits);
    const { slots, weights, active } = readFleet(result, file, places);
    const isWhole =
      isDeepStrictEqual({ ...slots }, { ...configuration.slots }) &&
      isDeepStrictEqual(weights, configuration.weights && { ...configuration.weights }) &&
      active === configuration.active;
    if (!isWhole) {
      throw new NotEditable('the file would not say what it is to say');
    }
    return result;
  } catch (error) {
    if (error instanceof NotEditable) {
      throw new InvalidInput(file, [
        { path: file, allowed: `a file with slots and weights that can be edited: ${error.message}` },
      ]);
    }
    throw error;
  }
}

function valueAt(content: unknown, path: PathSteps): unknown {
  return path.reduce<unknown>(
    (value, key) => (isPlainObject(value) && Object.hasOwn(value, key) ? value[key as string] : undefined),
    content,
  );
}

/** The three values. `pulumi config set` writes an object as its JSON. */
function fleetIn(content: unknown, places: FleetPlaces): Record<string, unknown> {
  return Object.fromEntries(
    parts.flatMap((part) => {
      const path = places[part];
      const value = path && valueAt(content, path);
      return path === undefined || value === undefined || value === null
        ? []
        : [[part, part === 'active' ? value : ofJson(value)]];
    }),
  );
}

function ofJson(value: unknown): unknown {
  if (typeof value !== 'string') {
    return value;
  }
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

/** An encrypted value of Pulumi. It isn't shown, nor is it decrypted. */
function secretProblems(content: unknown, path: readonly string[] | undefined): readonly PlacedProblem[] {
  const value = path && valueAt(content, path);
  const isSecret = (each: unknown): boolean =>
    isPlainObject(each) && Object.keys(each).length === 1 && typeof each.secure === 'string';
  const hasSecret = isSecret(value) || (isPlainObject(value) && Object.values(value).some(isSecret));
  return hasSecret
    ? [
        {
          steps: path!,
          path: pathText(path!),
          allowed: 'a plain value: a secret can not be changed by a swap',
        },
      ]
    : [];
}

function problemsIn(content: unknown, places: FleetPlaces): readonly PlacedProblem[] {
  const wants = places.weights ? 'weights' : 'active';
  return fleetProblems(fleetIn(content, places), wants).map(({ steps, ...problem }) => {
    const [part, ...rest] = steps as readonly string[];
    const path = [...(places[part as 'slots'] ?? []), ...rest];
    return { ...problem, steps: path, path: pathText(path) };
  });
}
