import { refuseArguments } from '../core/validation/arguments';
import { isPlainObject } from '../core/validation/problems';
import { splitBefore, splitByCluster } from './clusters';
import type { ClusterObjects } from './clusters';
import { objectName } from './object';
import type { ManifestObject } from './object';
import { indexObjects } from './object-index';
import { lintOptions } from './options';
import type {
  SkippedRule,
  LintOptions,
  LintResult,
  LintSummary,
  RuleFailure,
  SuppressedFinding,
} from './options';
import { grouped, sortedFindings, inWords, isAtLeast } from './raised-findings';
import type { Raised } from './raised-findings';
import { severities } from './rule';
import type { Finding, RawFinding, Rule, RuleContext, Severity, TemplateFile } from './rule';
import { allRules } from './rules';
import { Suppressions } from './suppressions';

/** What one rule said. */
export interface RuleOutcome {
  readonly found: readonly RawFinding[];
  readonly failure?: RuleFailure;
}

/** Runs one rule. One that throws ends neither the run nor the findings that it had by then. */
function runRule(rule: Rule, context: RuleContext): RuleOutcome {
  const found: RawFinding[] = [];
  try {
    for (const each of rule.check(context)) {
      refuseMalformed(each);
      found.push(each);
    }
    return { found };
  } catch (error) {
    const object = culprit(rule, context);
    const file = object?.source?.file;
    return {
      found,
      failure: {
        rule: rule.id,
        ...(object ? { object: objectName(object) } : {}),
        ...(file === undefined ? {} : { file }),
        error,
      },
    };
  }
}

const isText = (value: unknown): boolean => typeof value === 'string';

const isList = (value: unknown): boolean => Array.isArray(value);

const parts: Readonly<
  Record<keyof RawFinding, readonly [allowed: string, fits: (value: unknown) => boolean]>
> = {
  object: [
    'one of the objects of the context',
    (value) => isPlainObject(value) && ['apiVersion', 'kind', 'name'].every((key) => isText(value[key])),
  ],
  pointer: ['a JSON pointer', (value) => isText(value) && /^(?:\/|$)/.test(String(value))],
  message: ['a text', (value) => isText(value) && value !== ''],
  severity: [`one of ${severities.join(', ')}`, (value) => severities.some((each) => each === value)],
  why: ['a text', isText],
  fix: ['a text', isText],
  line: ['a whole number from 1', (value) => Number.isInteger(value) && Number(value) >= 1],
  also: ['a list of JSON pointers', isList],
  fixPatch: ['a list of changes', isList],
};

const required: ReadonlySet<string> = new Set<keyof RawFinding>(['object', 'pointer', 'message']);

/** @throws Error for what a rule from elsewhere yields, which no compiler may have seen */
function refuseMalformed(found: unknown): void {
  const fields = isPlainObject(found) ? found : {};
  const wrong = Object.entries(parts).flatMap(([key, [allowed, fits]]) =>
    (fields[key] === undefined && !required.has(key)) || fits(fields[key])
      ? []
      : [`${key} must be ${allowed}`],
  );
  if (wrong.length > 0) {
    throw new TypeError(`a finding needs object, pointer, message: ${wrong.join('; ')}`);
  }
}

/** The object that makes a rule throw where it is the only one. Needed once in a rule's life, so it may take its time. */
function culprit(rule: Rule, context: RuleContext): ManifestObject | undefined {
  return context.objects.all.find((object) => {
    try {
      for (const each of rule.check({ ...context, objects: indexObjects([object]) })) {
        refuseMalformed(each);
      }
      return false;
    } catch {
      return true;
    }
  });
}

/**
 * Checks objects by rules. Every rule runs once over all of them, or once over those of each cluster.
 *
 * @example
 * const { findings } = lint(manifestObjects(chart.toJson()), { minSeverity: 'warning' });
 *
 * @example
 * // With a rule of one's own.
 * lint(objects, { rules: [...allRules, noLatest] });
 */
export function lint(objects: readonly ManifestObject[], options: LintOptions = {}): LintResult {
  refuseArguments('lint', lintOptions, options);
  return lintEvaluated(objects, options);
}

/** The same with options that are known to be right: those of the command, which starts sooner without an evaluation. */
export function lintEvaluated(objects: readonly ManifestObject[], options: LintOptions): LintResult {
  const { rules = allRules, config, minSeverity = 'info', templates = [] } = options;
  const only = options.only && new Set(options.only);
  const wanted = rules.filter(({ id }) => config?.rules.get(id) !== 'off' && (only?.has(id) ?? true));
  const skippedRules = wanted.flatMap((rule) => skippedRulesOf(rule, options));
  const running = wanted.filter(({ id }) => !skippedRules.some(({ rule }) => rule === id));
  const clusters = splitByCluster(objects, options.clusters ?? []);
  const contexts = contextsOf(clusters, options);
  const failures: RuleFailure[] = [];
  const raised = running.flatMap((rule) => {
    const severity = config?.rules.get(rule.id);
    const outcomes = contexts.map((context) => runRule(rule, context));
    failures.push(...outcomes.flatMap(({ failure }) => failure ?? []).slice(0, 1));
    return onceEach(agreed(outcomes.map(({ found }) => found))).map((raw) => ({
      ...{ rule, raw, severity: severityOf(rule, raw, severity) },
    }));
  });
  const evaluated = [...objects, ...templates.map(({ chart }) => chart)];
  const suppressions = new Suppressions(evaluated, config);
  const { open, suppressed } = bySuppression(raised, suppressions);
  const failed = new Set(failures.map(({ rule }) => rule));
  const ran = new Set(running.map(({ id }) => id).filter((id) => !failed.has(id)));
  const known = new Set([...allRules, ...rules].map(({ id }) => id));
  const shown = (severity: Severity): boolean => isAtLeast(severity, minSeverity);
  const findings = sortedFindings([
    ...inWords(grouped(open.filter(({ severity }) => shown(severity)))),
    ...suppressions
      .findings({ known, ran, ...(only ? { only } : {}) })
      .filter(({ severity }) => shown(severity)),
  ]);
  return {
    ...{
      findings,
      summary: summaryOf(findings, objects, suppressed, options.templates),
      suppressed,
      failures,
      skippedRules,
    },
    clusters:
      clusters.length > 1
        ? clusters.map(({ name, own, shared }) => ({
            ...(name === undefined ? {} : { name }),
            ...{ objects: own.length, shared: shared.length },
          }))
        : [],
  };
}

function contextsOf(parts: readonly ClusterObjects[], options: LintOptions): readonly RuleContext[] {
  const { live, config, templates = [], now = Date.now() } = options;
  const { kubernetesVersion = config?.kubernetesVersion } = options;
  const beforeOf = olderObjects(options);
  return parts.map((part) => {
    const before = beforeOf(part.name);
    return {
      objects: indexObjects([...part.own, ...part.shared]),
      ...(before ? { before: indexObjects(before) } : {}),
      ...(live ? { live: indexObjects(live) } : {}),
      ...(kubernetesVersion === undefined ? {} : { kubernetesVersion }),
      ...{ templates, now },
    };
  });
}

/** The objects before the change, of one cluster of those of now. */
function olderObjects({
  before,
  clusters = [],
}: LintOptions): (name: string | undefined) => readonly ManifestObject[] | undefined {
  if (before === undefined || clusters.length === 0) {
    return () => before;
  }
  const parts = splitBefore(before, clusters);
  const known = new Set(clusters.map(({ name }) => name));
  const unknown = parts.filter(({ name }) => name === undefined || !known.has(name));
  const others = [...new Set(unknown.flatMap(({ own, shared }) => [...own, ...shared]))];
  return (name) => {
    const same = parts.find((part) => part.name !== undefined && part.name === name);
    return same ? [...same.own, ...same.shared] : others;
  };
}

/** What is found at one place of an object. */
interface Place {
  readonly clusters: Set<number>;
  readonly fixes: Set<string>;
}

/**
 * What several clusters share is changed where all that find something at a place ask for the same change: the authority of
 * one is not in the others.
 *
 * @param found in each cluster
 */
function agreed(found: readonly (readonly RawFinding[])[]): readonly RawFinding[] {
  const places = new Map<ManifestObject, Map<string, Place>>();
  const placeOf = ({ object, pointer }: RawFinding): Place => {
    const ofObject = places.get(object) ?? new Map<string, Place>();
    places.set(object, ofObject);
    const place = ofObject.get(pointer) ?? { clusters: new Set(), fixes: new Set() };
    ofObject.set(pointer, place);
    return place;
  };
  found.forEach((each, cluster) =>
    each.forEach((raw) => {
      const { clusters, fixes } = placeOf(raw);
      clusters.add(cluster);
      fixes.add(JSON.stringify(raw.fixPatch ?? []));
    }),
  );
  return found.flat().map((raw) => {
    const { clusters, fixes } = placeOf(raw);
    return clusters.size > 1 && fixes.size > 1 ? { ...raw, fixPatch: [] } : raw;
  });
}

/** What several clusters share is checked with each of them, and a server that several objects call with each of these. */
function onceEach(found: readonly RawFinding[]): readonly RawFinding[] {
  const seen = new Map<ManifestObject, Set<string>>();
  return found.filter(({ object, pointer, message, line }) => {
    const known = seen.get(object) ?? new Set();
    seen.set(object, known);
    const key = JSON.stringify([pointer, message, line]);
    const isNew = !known.has(key);
    known.add(key);
    return isNew;
  });
}

function skippedRulesOf({ id, needs }: Rule, known: LintOptions): SkippedRule[] {
  return needs !== undefined && known[needs] === undefined ? [{ rule: id, needs }] : [];
}

/** What a rule lacks the facts to check stays an info, whatever the rule is worth otherwise. */
function severityOf(rule: Rule, raw: RawFinding, wanted: Severity | 'off' | undefined): Severity {
  const own = raw.severity ?? rule.severity;
  return wanted === undefined || wanted === 'off' || raw.severity === 'info' ? own : wanted;
}

function bySuppression(
  raised: readonly Raised[],
  suppressions: Suppressions,
): { readonly open: readonly Raised[]; readonly suppressed: readonly SuppressedFinding[] } {
  const open: Raised[] = [];
  const hidden: Raised[] = [];
  const reasons: string[] = [];
  for (const each of raised) {
    const reason = suppressions.reasonFor(each.rule.id, each.raw.object);
    if (reason === undefined) {
      open.push(each);
    } else {
      hidden.push(each);
      reasons.push(reason);
    }
  }
  const suppressed = inWords(hidden).map((finding, position) => ({ finding, reason: reasons[position]! }));
  return { open, suppressed };
}

function summaryOf(
  findings: readonly Finding[],
  objects: readonly ManifestObject[],
  suppressed: readonly SuppressedFinding[],
  templates: readonly TemplateFile[] = [],
): LintSummary {
  const count = (severity: Severity): number =>
    findings.filter((finding) => finding.severity === severity).length;
  const files = new Set([
    ...objects.flatMap(({ source }) => source?.file ?? []),
    ...templates.map(({ file }) => file),
  ]);
  return {
    error: count('error'),
    warning: count('warning'),
    info: count('info'),
    objects: objects.length,
    files: files.size,
    suppressed: suppressed.length,
  };
}
