import { Field } from '../../field';
import type { JudgedObject } from '../../judged-object';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding } from '../../rule';
import { differencesOf } from './made-up';

/** Shorter values are not made up by a chart: `true`, `5432`. */
const shortestMade = 6;

/**
 * Texts that a chart makes up anew at each render, and Secrets with the same keys, of which some have other values of the
 * same length. Where nothing else differs, it is another render of the same; otherwise somebody may have changed it by
 * hand. No value gets into a message.
 *
 * @param known Secrets about which something is said already
 */
export function* judgeOtherValues(
  before: ObjectIndex,
  objects: ObjectIndex,
  known: ReadonlySet<JudgedObject>,
): Iterable<RawFinding> {
  const changed = objects.ofKind('', 'Secret').flatMap((object) => {
    const other = before.find('', 'Secret', object.namespace, object.name);
    const fields = other && !known.has(object) ? otherValues(other, object) : [];
    return fields.length > 0 ? [{ object, fields }] : [];
  });
  const { madeUp, hasOthers } = differencesOf(before, objects);
  const isSameOtherwise = !hasOthers;
  for (const { object, field } of madeUp) {
    yield {
      object,
      pointer: field.pointer,
      severity: 'warning',
      message: `the other render has another text here, and nothing but such texts${changed.length > 0 ? ' and Secrets' : ''} differs`,
    };
  }
  for (const { object, fields } of changed) {
    const [first, ...others] = fields.map((field) => field.steps.at(-1)!);
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    yield {
      object,
      pointer: fields[0]!.pointer,
      severity: isSameOtherwise ? 'warning' : 'info',
      message: isSameOtherwise
        ? `the other render has another value of the same length under ${JSON.stringify(first)}${more}, and nothing but ${madeUp.length > 0 ? 'made-up texts and ' : ''}Secrets differs`
        : `another value of the same length stands under ${JSON.stringify(first)}${more} than before; other objects have changed, too, so it may be meant`,
      ...(isSameOtherwise
        ? {}
        : { fix: 'compare two renders of one commit, to see whether the chart makes it up' }),
    };
  }
}

/** Values that are others, of the same length; none where keys have come or gone, as with a change by hand. */
function otherValues(before: JudgedObject, object: JudgedObject): Field[] {
  const [old, fields] = [before, object].map(valuesOf);
  const was = new Map(old!.map((field) => [field.pointer, field.text]));
  const hasSameKeys = was.size === fields!.length && fields!.every(({ pointer }) => was.has(pointer));
  const other = fields!.filter(({ pointer, text }) => was.get(pointer) !== text);
  const isMadeUp = other.every(
    ({ pointer, text = '' }) =>
      text.length >= shortestMade && was.get(pointer)?.length === text.length && !isCertificate(text),
  );
  return hasSameKeys && isMadeUp ? other : [];
}

/** Certificates and their keys are judged by what they certify: the same key, or other names, are meant. */
function isCertificate(text: string): boolean {
  return [text, Buffer.from(text, 'base64').toString('latin1')].some((each) =>
    each.includes('-----BEGIN CERTIFICATE-----'),
  );
}

function valuesOf(object: JudgedObject): Field[] {
  const secret = Field.of(object);
  return [...secret.get('data').entries, ...secret.get('stringData').entries].map(([, field]) => field);
}
