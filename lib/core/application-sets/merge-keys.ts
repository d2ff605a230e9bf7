import { isPlainObject } from '../validation/problems';
import { givenBy, lackingIn, lackingInPlain } from './given-fields';
import { elementsOf } from './set-generator';
import type { SetGenerator, Steps } from './set-generator';
import type { TemplateProblem } from './template-problems';
import type { TemplatedSet } from './template-texts';

/**
 * What is wrong with the keys by which merge generators join: keys that no generator gives, and elements that Argo CD can't
 * tell apart, for which it refuses the ApplicationSet.
 *
 * @param place a place, for a person
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Generators-Merge/
 * @see https://github.com/argoproj/argo-cd/blob/v3.6.1/applicationset/generators/merge.go
 */
export function mergeKeyProblems(
  { generators, goTemplate }: Pick<TemplatedSet, 'generators' | 'goTemplate'>,
  place: (steps: Steps) => string,
): readonly TemplateProblem[] {
  return generators.flatMap((generator) => [
    ...(generator.kind === 'merge' ? problemsOf(generator, goTemplate, place) : []),
    ...mergeKeyProblems({ generators: generator.generators, goTemplate }, place),
  ]);
}

function problemsOf(
  { steps, settings, generators }: SetGenerator,
  goTemplate: boolean,
  place: (steps: Steps) => string,
): readonly TemplateProblem[] {
  const { mergeKeys } = settings;
  const keys = Array.isArray(mergeKeys)
    ? mergeKeys.filter(
        (key): key is string => typeof key === 'string' && key !== '' && !(goTemplate && key.includes('.')),
      )
    : [];
  const given = generators.map((each) => givenBy(each, goTemplate).some);
  const lacks = goTemplate
    ? (key: string) => given.every((some) => lackingIn(some, [key]))
    : (key: string) => given.every((some) => lackingInPlain(some, key));
  const unknown = given.length === 0 ? [] : keys.filter(lacks);
  const names = [...new Set(given.flatMap(({ fields }) => Object.keys(fields)))];
  const problems = unknown.map((key): TemplateProblem => ({
    steps: [...steps, 'mergeKeys', keys.indexOf(key)],
    text: key,
    effect: 'asItIs',
    allowed: 'a parameter that the generators give',
    fault: `"${key}" is not given; given are ${names.slice(0, 15).join(', ')}${names.length > 15 ? ', …' : ''}`,
  }));
  const twins = keys.length === 0 ? [] : generators.flatMap((each) => twinsIn(each, keys, goTemplate));
  return [
    ...problems,
    ...twins.map(({ list, first, second }): TemplateProblem => ({
      steps: [...list, 'elements', second],
      text: keys.join(', '),
      effect: 'refused',
      allowed: 'an element that the merge keys tell from the others',
      fault: `${place([...list, 'elements', first])} has the same ${keys.map((key) => `"${key}"`).join(', ')}`,
    })),
  ];
}

interface Twins {
  readonly list: Steps;
  readonly first: number;
  readonly second: number;
}

/** Elements with the same values of the keys, or with none of them. Selectors and other generators may change them. */
function twinsIn(generator: SetGenerator, keys: readonly string[], goTemplate: boolean): readonly Twins[] {
  if (generator.isFiltered) {
    return [];
  }
  const seen = new Map<string, number>();
  const found: Twins[] = [];
  for (const [position, element] of elementsOf(generator).entries()) {
    const text = isPlainObject(element)
      ? JSON.stringify(keys.map((key) => valueOf(element, key, goTemplate)))
      : '{{';
    const names = isPlainObject(element) ? Object.keys(element) : [];
    const first = seen.get(text);
    if (text.includes('{{') || names.some((name) => name.includes('{{'))) {
      continue;
    }
    if (first === undefined) {
      seen.set(text, position);
    } else {
      found.push({ list: generator.steps, first, second: position });
    }
  }
  return found;
}

function valueOf(element: Readonly<Record<string, unknown>>, key: string, goTemplate: boolean): unknown {
  const own = (map: unknown, name: string): unknown =>
    isPlainObject(map) && Object.hasOwn(map, name) ? (map[name] ?? null) : null;
  return !goTemplate && key.startsWith('values.')
    ? own(own(element, 'values'), key.slice('values.'.length))
    : own(element, key);
}
