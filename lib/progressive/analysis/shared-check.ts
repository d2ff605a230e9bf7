import type { CheckArguments, SettingsOf } from '../../checks';
import { checkKinds, fillTexts, subjectVariables } from '../../checks';
import type { Problems } from '../../problems';
import type { ShiftSubject } from '../../shift';

/** Kinds of checks that an application's canary can be judged by, too. */
const sharedKinds = [
  'prometheus.query',
  'prometheus.errorShare',
  'prometheus.slowShare',
  'cloudWatch.metric',
  'cloudWatch.errorShare',
  'cloudWatch.slowShare',
  'datadog.query',
  'datadog.errorShare',
  'datadog.slowShare',
] as const;

type SharedKind = (typeof sharedKinds)[number];

/**
 * A check on a metric, as a shift has it: `checks.prometheus.errorShare({ … })`. In its texts, `{{slot}}` stands for what
 * tells the new version from the old one, such as the hash of the new pods.
 */
export type SharedCheck = { [Kind in SharedKind]: SettingsOf<Kind> }[SharedKind];

/** A check that was read, with its kind. */
export type ReadCheck = {
  [Kind in SharedKind]: { readonly kind: Kind; readonly args: CheckArguments[Kind] };
}[SharedKind];

/** Variables of the checks themselves. */
const ownNames = ['window', 'period'];

/**
 * Reads a check and adds what is wrong with it, by the rules that a shift holds it against.
 *
 * @param variables names of further variables
 * @param instead settings that stand in place of the check's own, such as an address
 */
export function readCheck(
  problems: Problems,
  path: string,
  check: unknown,
  variables: readonly string[] = [],
  instead: Readonly<Record<string, unknown>> = {},
): ReadCheck | undefined {
  const entries = typeof check === 'object' && check !== null ? Object.entries(check) : [];
  const [kind = '', given] = entries[0] ?? [];
  if (entries.length !== 1 || !(sharedKinds as readonly string[]).includes(kind)) {
    problems.add(path, entries.length === 1 ? kind : check, refusal(kind));
    return undefined;
  }
  const args = { ...(given as Record<string, unknown> | undefined), ...instead };
  const slots = Array.isArray(args.slots) ? (args.slots as unknown[]).map(String) : [];
  const subject: ShiftSubject = {
    layer: 'http',
    slots: Object.fromEntries([...slots, 'canary'].map((slot) => [slot, {}])),
  };
  const further = variables.filter((name) => !isTaken(name));
  const plain = fillTexts(args, (name) => (further.includes(name) ? name : `{{${name}}}`));
  const found = checkKinds[kind as SharedKind].problems(plain as Record<string, unknown>, subject);
  problems.addAll(found, `${path}.${kind}`);
  return found.length === 0 ? ({ kind, args } as unknown as ReadCheck) : undefined;
}

function refusal(kind: string): string {
  if (kind.endsWith('.comparison')) {
    const other = kind.replace('comparison', 'errorShare');
    return `a check without a memory, such as ${other}: a comparison bets on all of a shift, and an analysis keeps nothing between two measurements`;
  }
  return `one check on a metric: { KIND: SETTINGS } with one of ${sharedKinds.join(', ')}`;
}

/** Adds a problem for each further variable that can't be one. */
export function checkVariables(problems: Problems, path: string, variables: readonly string[]): void {
  variables.forEach((name, position) => {
    const at = `${path}[${position}]`;
    if (!/^[a-z][A-Za-z0-9]{0,62}$/.test(name)) {
      problems.add(at, name, 'a name such as "service": a small letter, then letters and digits');
    } else if (isTaken(name)) {
      problems.add(at, name, 'left out: there is a variable of that name');
    }
  });
}

function isTaken(name: string): boolean {
  return [...subjectVariables, ...ownNames].includes(name);
}
