import { Field } from '../field';
import { stepsOf } from '../json-pointer';
import type { Raised } from './raised';

/** Fewer are told one by one. */
const fewest = 3;

/** As many as a line holds. */
const mostNamed = 2;

/**
 * Puts findings together that say the same of several entries of one object: an operator may have hundreds of webhooks, all
 * with one omission. The first one names the others.
 */
export function grouped(raised: readonly Raised[]): readonly Raised[] {
  const groups = new Map<unknown, Map<string, Raised[]>>();
  for (const each of raised) {
    const ofObject = groups.get(each.raw.object) ?? new Map<string, Raised[]>();
    groups.set(each.raw.object, ofObject);
    const key = causeOf(each);
    const same = ofObject.get(key) ?? [];
    ofObject.set(key, same);
    same.push(each);
  }
  const all = [...groups.values()].flatMap((ofObject) => [...ofObject.values()]);
  return all.flatMap((same) => (same.length < fewest ? same : [together(same)]));
}

/** What is found, whatever the entry. */
function causeOf({ rule, severity, raw }: Raised): string {
  const { pointer, message, why, fix, line } = raw;
  const entry = entryOf(raw);
  return entry === undefined
    ? JSON.stringify([rule.id, severity, pointer, message, why, fix, line])
    : JSON.stringify([rule.id, severity, entry.rest, message.replaceAll(entry.name, '\0'), why, fix, line]);
}

/** The item of the first list on the way, if it has a name: `/webhooks/3/timeoutSeconds` is of an entry with one. */
function entryOf({ object, pointer }: Raised['raw']): { name: string; rest: string } | undefined {
  const steps = stepsOf(pointer);
  const position = steps.findIndex((step) => /^\d+$/.test(step));
  const name = position < 0 ? undefined : Field.of(object).get(...steps.slice(0, position + 1), 'name').text;
  return name === undefined || name === ''
    ? undefined
    : { name, rest: [...steps.slice(0, position), '*', ...steps.slice(position + 1)].join('/') };
}

function together(same: readonly Raised[]): Raised {
  const [first, ...others] = same;
  const mend = same.flatMap(({ raw }) => raw.fixPatch ?? []);
  const names = others.slice(0, mostNamed).map(({ raw }) => entryOf(raw)?.name ?? raw.pointer);
  return {
    ...first!,
    raw: {
      ...first!.raw,
      message: `${first!.raw.message}; the same of ${others.length} more, ${others.length > mostNamed ? 'such as ' : ''}${names.join(' and ')}`,
      also: others.map(({ raw }) => raw.pointer),
      ...(mend.length > 0 ? { fixPatch: mend } : {}),
    },
  };
}
