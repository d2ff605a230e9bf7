import { findingText, indexObjects, linkOf, lint, suppressionRules } from '../../lint';
import type {
  Finding,
  ManifestObject,
  LintConfig,
  LintResult,
  Rule,
  RuleContext,
  RuleFailure,
} from '../../lint';
import { isHelmRelease, isKubernetes, isPatch } from './resources';
import type { ShownResource, UnknownPlace, UnknownReads } from './resources';

/** What came of checking the objects of one cluster. */
export interface PolicyEvaluation {
  /** Findings that hold whatever the update will know. */
  readonly findings: readonly Finding[];
  /** Rules that threw. */
  readonly failures: readonly RuleFailure[];
  /** What rules would have to know, by the rule's id: they are not checked. */
  readonly notKnown: ReadonlyMap<string, readonly UnknownPlace[]>;
}

/**
 * Evaluates the objects of one cluster.
 *
 * A rule that reads a value which only the update knows says nothing of that cluster: what it finds, or does not find, may
 * hang on the value.
 */
export function evaluatePolicies(
  objects: readonly ManifestObject[],
  rules: readonly Rule[],
  reads: UnknownReads,
  config?: LintConfig,
): PolicyEvaluation {
  const run = (wanted: readonly Rule[]): LintResult =>
    lint(objects, { rules: wanted, ...(config ? { config } : {}) });
  const { value, places } = reads.during(() => run(rules));
  const result = places.length === 0 ? value : run(rules.map((rule) => attentive(rule, reads)));
  const notKnown = new Map(
    result.failures.flatMap(({ rule, error }) =>
      error instanceof NotKnownYet ? [[rule, error.places] as const] : [],
    ),
  );
  return {
    findings: result.findings.filter(({ rule }) => !notKnown.has(rule)),
    failures: result.failures.filter(({ rule }) => !notKnown.has(rule)),
    notKnown,
  };
}

/** Ends a rule that read unknown values: the engine then knows that it evaluated nothing, suppressions included. */
class NotKnownYet extends Error {
  public constructor(public readonly places: readonly UnknownPlace[]) {
    super('values are not known yet');
  }
}

/** Rules share what they derive from the objects; this one derives all by itself, so that it is seen to read. */
function attentive(rule: Rule, reads: UnknownReads): Rule {
  const { id, severity, title, why, fix } = rule;
  const link = linkOf(rule);
  return {
    ...{ id, severity, title, why, fix },
    ...(link === undefined ? {} : { link }),
    check: (context: RuleContext) => {
      const evaluated = { ...context, objects: indexObjects(context.objects.all) };
      const { value, places } = reads.during(() => attempt(() => [...rule.check(evaluated)]));
      if (places.length > 0) {
        throw new NotKnownYet(places);
      }
      if ('error' in value) {
        throw value.error;
      }
      return value.found;
    },
  };
}

function attempt<T>(run: () => T): { readonly found: T } | { readonly error: unknown } {
  try {
    return { found: run() };
  } catch (error) {
    return { error };
  }
}

/** What a violation says: the text of `cluster-canary lint`. */
export function violationText(finding: Finding): string {
  const { line, file, ...rest } = finding;
  const place = file === undefined || isUrn(file) ? '' : `${file}:${line}  `;
  return (
    place +
    findingText(rest)
      .trimStart()
      .replace(/^- {2}/, '')
  );
}

/** The resource that a finding is about. @returns nothing where it is about a configuration file */
export function urnOf({ file }: Pick<Finding, 'file'>): string | undefined {
  return file !== undefined && isUrn(file) ? file : undefined;
}

export function failureText({ rule, error }: RuleFailure): string {
  return `the rule ${rule} failed, so nothing is known: ${error instanceof Error ? error.message : String(error)}`;
}

function isUrn(text: string): boolean {
  return text.startsWith('urn:pulumi:');
}

const ids = new Set(suppressionRules.map(({ id }) => id));

/**
 * What is wrong with suppressions. A configuration file is for all clusters of a stack: what it suppresses in one of them
 * is not in vain, and what is wrong in it is said once.
 */
export function staleSuppressions(evaluations: readonly PolicyEvaluation[]): readonly Finding[] {
  const byCluster = evaluations.map(({ findings }) => findings.filter(({ rule }) => ids.has(rule)));
  const ofObjects = byCluster.flat().filter((finding) => urnOf(finding) !== undefined);
  const [first = [], ...others] = byCluster;
  const ofConfig = first.filter(
    (finding) =>
      urnOf(finding) === undefined &&
      others.every((findings) => findings.some((other) => sameInFile(finding, other))),
  );
  return [...ofObjects, ...ofConfig];
}

function sameInFile(one: Finding, other: Finding): boolean {
  return one.file === other.file && one.line === other.line && one.message === other.message;
}

/** How many places or resources a note names. */
const named = 5;

/** What the rules could not check: a text for each reason, none where there is nothing. */
export function notEvaluated(
  resources: readonly ShownResource[],
  evaluations: readonly Pick<PolicyEvaluation, 'notKnown'>[],
): readonly string[] {
  return [
    ...evaluations.flatMap(({ notKnown }) => unknownNote(notKnown)),
    ...note(
      resources.filter(isHelmRelease).map(({ name }) => name),
      (names) =>
        `objects that Helm installs are no resources, so they are not checked; releases: ${names}. Check the rendered chart with cluster-canary lint, or install it as a Chart, whose objects are resources.`,
    ),
    ...note(
      resources.filter((each) => isKubernetes(each) && isPatch(each)).map(({ name }) => name),
      (names) => `patches are parts of objects, so they are not checked: ${names}.`,
    ),
  ];
}

function unknownNote(notKnown: PolicyEvaluation['notKnown']): string[] {
  const rules = [...notKnown.keys()].sort();
  const places = new Map([...notKnown.values()].flat().map((each) => [placeInWords(each), each]));
  return note([...places.keys()].sort(), (names) =>
    [
      `not checked yet: ${rules.join(', ')}`,
      `They read values that only the update knows: ${names}. They evaluate them at the end of the update.`,
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
