import type { ReadinessFinding } from './report';
import type { SubjectResult } from './run';

/** What findings and what is untried mean. */
export interface ReadinessRules {
  /** The version to upgrade to. */
  readonly to: string;
  /** The least severity that fails. */
  readonly failOn: 'error' | 'warning';
  /** Ids of findings that are accepted. */
  readonly allow: readonly string[];
  /** Names of subjects of which something may be untried. */
  readonly mayBeUntried: readonly string[];
}

/** What they amount to. */
export interface ReadinessVerdict {
  /** What is untried has not passed: `inconclusive`, unless something fails. */
  readonly status: 'pass' | 'fail' | 'inconclusive';
  /** Findings and what was not looked at, on one line. */
  readonly reason: string;
  /** Counts of them, with the most that passes. */
  readonly figures: readonly {
    readonly name: string;
    readonly value: number;
    readonly unit: 'count';
    readonly max?: number;
  }[];
}

/** As many as a line of a report holds. */
const mostNamed = 3;

/** Whether an upgrade may begin, by what subjects have found. */
export function evaluateReadiness(
  results: readonly SubjectResult[],
  { to, failOn, allow, mayBeUntried }: ReadinessRules,
): ReadinessVerdict {
  const findings = results.flatMap((each) => each.findings).filter(({ id }) => !allow.includes(id));
  const errors = findings.filter(({ severity }) => severity === 'error');
  const warnings = findings.filter(({ severity }) => severity === 'warning');
  const bad = failOn === 'error' ? errors : [...errors, ...warnings];
  const untried = results
    .filter(({ name }) => !mayBeUntried.includes(name))
    .flatMap((each) => each.untried.map((line) => `${each.name}: ${line}`));
  const status =
    bad.length > 0 ? 'fail' : untried.length + Number(results.length === 0) > 0 ? 'inconclusive' : 'pass';
  return {
    status,
    reason: [
      bad.length > 0
        ? `${counted(bad.length, 'finding')} before Kubernetes ${to}: ${named(bad.map(findingText))}`
        : `no ${failOn === 'error' ? 'errors' : 'errors or warnings'} before Kubernetes ${to}`,
      ...(bad.length === 0 && warnings.length > 0 ? [counted(warnings.length, 'warning')] : []),
      ...(untried.length > 0 ? [`not looked at: ${named(untried)}`] : []),
      ...(results.length === 0 ? ['there was nothing to ask'] : []),
    ].join('; '),
    figures: [
      { name: 'readiness errors', value: errors.length, unit: 'count', max: 0 },
      {
        ...{ name: 'readiness warnings', value: warnings.length, unit: 'count' },
        ...(failOn === 'warning' ? { max: 0 } : {}),
      },
      { name: 'not looked at', value: untried.length, unit: 'count', max: 0 },
    ],
  };
}

function findingText({ id, message, object }: ReadinessFinding): string {
  const name = object && [object.namespace, object.name].filter(Boolean).join('/');
  return `${id} ${message}${name ? ` (${name})` : ''}`;
}

function named(lines: readonly string[]): string {
  const more = lines.length - mostNamed;
  return `${lines.slice(0, mostNamed).join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
