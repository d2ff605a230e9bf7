import type { HubApplication } from './hub-application';

/**
 * What keeps one hub from taking over from another: it does not have the same Applications, has not compared them with the
 * same revisions, or finds differences that the other one does not. All of it, one line each; none where it is ready.
 *
 * @param from Applications of the hub that writes
 * @param to Applications of the hub that is to write
 */
export function handoverObstacles(
  from: readonly HubApplication[],
  to: readonly HubApplication[],
): readonly string[] {
  const there = new Map(to.map((each) => [each.name, each]));
  const here = new Set(from.map(({ name }) => name));
  return [
    ...from.flatMap((old) => {
      const own = there.get(old.name);
      return own ? differences(old, own) : [`${old.name}: is not there`];
    }),
    ...to.filter(({ name }) => !here.has(name)).map(({ name }) => `${name}: the hub that writes has no such`),
  ];
}

function differences(old: HubApplication, own: HubApplication): readonly string[] {
  const elsewhere =
    place(own) === place(old) ? [] : [`${own.name}: deploys to ${place(own)}, not to ${place(old)}`];
  // What the old hub can't compare either says nothing about the new one, say a cluster that is down.
  const known = old.sync !== undefined && old.sync !== 'Unknown';
  if (own.sync === undefined || (own.sync === 'Unknown' && known)) {
    const why = own.error === undefined ? '' : `: ${shortened(own.error)}`;
    return [...elsewhere, `${own.name}: is not compared yet${why}`];
  }
  if (known && own.revisions.join() !== old.revisions.join()) {
    return [...elsewhere, `${own.name}: is compared with ${revisions(own)}, not with ${revisions(old)}`];
  }
  return known && old.sync === 'Synced' && own.sync !== 'Synced'
    ? [
        ...elsewhere,
        `${own.name}: finds differences that the hub that writes does not: ${few(own.differing)}`,
      ]
    : elsewhere;
}

function place({ cluster, namespace }: HubApplication): string {
  return `${cluster}${namespace === undefined ? '' : ` ${namespace}`}`;
}

function revisions({ revisions: all }: HubApplication): string {
  return all.length === 0 ? 'no revision' : all.map((each) => each.slice(0, 12)).join(' and ');
}

function few(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(', ');
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown || 'no object is named';
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}
