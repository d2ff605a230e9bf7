import type { ShownResource } from './resource-objects';
import { isHelmRelease, isKubernetes, isPatch } from './resource-objects';
import type { Judgement } from './judge';
import type { UnknownPlace } from './unknown-reads';

/** How many places or resources a note names. */
const named = 5;

/** What the rules could not judge: a text for each reason, none where there is nothing. */
export function notJudged(
  resources: readonly ShownResource[],
  judgements: readonly Pick<Judgement, 'notKnown'>[],
): readonly string[] {
  return [
    ...judgements.flatMap(({ notKnown }) => unknownNote(notKnown)),
    ...note(
      resources.filter(isHelmRelease).map(({ name }) => name),
      (names) =>
        `objects that Helm installs are no resources, so they are not judged; releases: ${names}. Judge the rendered chart with cluster-canary lint, or install it as a Chart, whose objects are resources.`,
    ),
    ...note(
      resources.filter((each) => isKubernetes(each) && isPatch(each)).map(({ name }) => name),
      (names) => `patches are parts of objects, so they are not judged: ${names}.`,
    ),
  ];
}

function unknownNote(notKnown: Judgement['notKnown']): string[] {
  const rules = [...notKnown.keys()].sort();
  const places = new Map([...notKnown.values()].flat().map((each) => [placeInWords(each), each]));
  return note([...places.keys()].sort(), (names) =>
    [
      `not judged yet: ${rules.join(', ')}`,
      `They read values that only the update knows: ${names}. They judge them at the end of the update.`,
    ].join('. '),
  );
}

function placeInWords({ urn, pointer }: UnknownPlace): string {
  return `${pointer} of ${urn.split('::').at(-1)}`;
}

function note(names: readonly string[], text: (names: string) => string): string[] {
  if (names.length === 0) {
    return [];
  }
  const more = names.length > named ? ` and ${names.length - named} more` : '';
  return [text(`${names.slice(0, named).join(', ')}${more}`)];
}
