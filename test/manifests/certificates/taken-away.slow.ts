import { manifestObjects, lint } from '../../../lib/lint';
import { defaults, images } from '../webhooks/policy-samples';
import { certManager, emitStack, sampleStack, serverOf } from './emitted-stacks';
import type { Stack } from './emitted-stacks';
import { fieldFates } from './safety-fields';

const samples: readonly Stack[] = [
  { ...sampleStack('security', 'own'), policies: [images, defaults] },
  sampleStack('required', 'publish'),
  sampleStack('convenience', 'switch'),
  sampleStack('required', 'retire'),
];

/** Names of fields that say which object it is. */
const identity = /^(apiVersion|kind|metadata|metadata\/(name|namespace|labels))$/;

/** Every field of a value, by its steps. */
function* stepsIn(value: unknown, before: readonly string[] = []): Iterable<readonly string[]> {
  yield before;
  if (typeof value === 'object' && value !== null) {
    for (const [key, inside] of Object.entries(value)) {
      yield* stepsIn(inside, [...before, key]);
    }
  }
}

/** The path of a field in words: texts of a list stand for themselves. */
function pathOf(object: any, steps: readonly string[]): string {
  let at = object;
  return steps
    .map((step) => {
      const list = Array.isArray(at);
      at = at[step];
      return list && typeof at === 'string' ? at : step;
    })
    .join('/');
}

function without(objects: readonly any[], index: number, steps: readonly string[]): any[] {
  if (steps.length === 0) {
    return objects.filter((_, position) => position !== index);
  }
  const changed = structuredClone(objects[index]);
  const owner = steps.slice(0, -1).reduce((value, step) => value[step], changed);
  if (Array.isArray(owner)) {
    owner.splice(Number(steps.at(-1)), 1);
  } else {
    delete owner[steps.at(-1)!];
  }
  return objects.map((each, position) => (position === index ? changed : each));
}

function roleOf({ kind, metadata, spec }: any, { webhook }: Stack): string {
  if (/WebhookConfiguration/.test(kind)) {
    return webhook.intent;
  }
  if (/Issuer|^Certificate$/.test(kind)) {
    return /self-signed/.test(metadata.name)
      ? 'self-signed'
      : /-g\d+$/.test(metadata.name)
        ? 'authority'
        : 'leaf';
  }
  return kind === 'Job' ? spec.template.spec.containers[0].name : '';
}

const evaluate = (objects: readonly unknown[]): string[] =>
  lint(manifestObjects(objects)).findings.map(({ severity, rule, pointer, object }) =>
    [rule, severity, object.kind, object.name, pointer].join(' '),
  );

/** What is taken away, what should come of it, and what does. */
function* removals(stack: Stack): Iterable<{ what: string; fates: typeof fieldFates; fired: string[] }> {
  const own = emitStack(stack);
  const around = [...serverOf(stack), certManager];
  const before = new Set(evaluate([...own, ...around]));
  const seen = stack.source !== 'own';
  for (const [index, object] of own.entries()) {
    const label = `${object.kind} ${roleOf(object, stack)}`;
    if (seen && /^(Certificate|Issuer) /.test(label)) {
      // Of two generations one does not sign, and the first sample has them all.
      continue;
    }
    for (const steps of stepsIn(object)) {
      const path = pathOf(object, steps);
      if (!identity.test(path)) {
        const after = evaluate([...without(own, index, steps), ...around]);
        const fired = after.filter((each) => !before.has(each)).map((each) => each.split(' ')[0]!);
        const fates = fieldFates.filter((each) => each.object.test(label) && each.field.test(path));
        yield { what: `${label}: ${path}`, fates, fired: [...new Set(fired)].sort() };
      }
    }
  }
}

const used = new Set<unknown>();

test.each(samples.map((stack) => [`${stack.webhook.intent}, ${stack.source}`, stack] as const))(
  'a field taken away: a rule fires, or it is said why none does (%s)',
  (_, stack) => {
    const wrong: string[] = [];
    for (const { what, fates, fired } of removals(stack)) {
      const [fate] = fates;
      used.add(fate);
      const expected = fate?.rules ?? [];
      const asSaid = fate?.rules ? expected.every((each) => fired.includes(each)) : fired.length === 0;
      if (!fate || !asSaid) {
        wrong.push(
          `${what}: ${fired.join(' ') || 'nothing'} fired, ${fate ? expected.join(' ') || 'nothing' : 'no row'} expected`,
        );
      }
    }
    expect(wrong).toEqual([]);
  },
);

test('every row of the table was needed', () => {
  expect(fieldFates.filter((each) => !used.has(each))).toEqual([]);
});
