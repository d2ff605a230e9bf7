import type { Finding, FindingSeverity } from '../finding';
import type { Failure } from './application-failures';
import { masked, shortMessage } from '../masked-text';
import type { RetryOutlook } from './retry-outlook';
import type { SortedMessage } from './sort-message';

/** A failure, what its message tells of, and whether its Application tries again. */
export interface SortedFailure {
  readonly failure: Failure;
  readonly sorted: SortedMessage;
  readonly outlook: RetryOutlook;
}

/** Lines of evidence for the failures of one group; the rest is counted. */
const shown = 8;

/** One finding for each cause: three hundred objects that one webhook refuses are one. */
export function groupFailures(failures: readonly SortedFailure[]): readonly Finding[] {
  const groups = new Map<string, SortedFailure[]>();
  for (const each of failures) {
    const key = JSON.stringify([each.sorted.cause, each.sorted.by ?? shapeOf(each), each.failure.warning]);
    const group = groups.get(key);
    if (group) {
      group.push(each);
    } else {
      groups.set(key, [each]);
    }
  }
  return [...groups.values()].map(findingOf);
}

/** Messages that nobody knows belong together where they differ in numbers only. */
function shapeOf({ sorted, failure }: SortedFailure): string {
  return sorted.category === 'unknown' ? failure.message.slice(0, 1_000).replace(/\d+/g, '0') : '';
}

function findingOf(group: readonly SortedFailure[]): Finding {
  const { sorted } = group[0]!;
  const by = sorted.by === undefined ? '' : ` (${shortMessage(sorted.by, 120)})`;
  return {
    cause: sorted.cause,
    severity: severityOf(group),
    likelihood: sorted.category === 'unknown' ? 'possible' : 'certain',
    subject: subjectOf(group),
    message: `${categories[sorted.category]}, ${sorted.cause}${by}: ${sorted.rule}`,
    evidence: [...failureLines(group), ...outlookLines(group)],
    next: sorted.advice,
  };
}

const categories: Readonly<Record<SortedMessage['category'], string>> = {
  transient: 'Transient',
  user: 'User error',
  environment: 'Environment',
  unknown: 'Not known',
};

/** What passes by itself is no error as long as somebody tries again. */
function severityOf(group: readonly SortedFailure[]): FindingSeverity {
  if (group.every(({ failure }) => failure.warning)) {
    return 'warning';
  }
  const passes =
    group[0]!.sorted.category === 'transient' &&
    group.every(({ outlook }) => outlook.state === 'waiting' || outlook.state === 'trying');
  return passes ? 'warning' : 'error';
}

function subjectOf(group: readonly SortedFailure[]): string {
  const applications = [...new Set(group.map(({ failure }) => failure.application))];
  return applications.length === 1
    ? `Application ${applications[0]}`
    : `${applications.length} Applications (${group.length} failures), first ${applications[0]}`;
}

function failureLines(group: readonly SortedFailure[]): string[] {
  const lines = group
    .slice(0, shown)
    .map(({ failure }) => `${failure.application}, ${failure.what}: ${quoted(failure)}${whereOf(failure)}`);
  return group.length > shown ? [...lines, `and ${group.length - shown} more: ${rest(group)}`] : lines;
}

function quoted({ message, secret }: Failure): string {
  return message === '' ? 'without a message' : shortMessage(message, 400, { secret });
}

/** Line in the text that is no manifest, or the document that has no kind. */
function whereOf({ message }: Failure): string {
  const [, line] = /yaml: line (\d{1,9})\b/.exec(message) ?? [];
  if (line !== undefined) {
    return ` [line ${line} of that text]`;
  }
  const [, document] = /Object 'Kind' is missing in '([^']{1,200})/.exec(message.slice(0, 20_000)) ?? [];
  return document === undefined ? '' : ` [the document that begins ${shortMessage(masked(document), 80)}]`;
}

/** Names are short; a thousand of them are not. */
function rest(group: readonly SortedFailure[]): string {
  const names = group.slice(shown, shown + 20).map(({ failure }) => `${failure.application} ${failure.what}`);
  return `${names.join(', ')}${group.length > shown + names.length ? ', …' : ''}`;
}

/** Of each Application one line, for a sync; conditions are looked at again by themselves. */
function outlookLines(group: readonly SortedFailure[]): string[] {
  const seen = new Map<string, string>();
  for (const { failure, outlook } of group) {
    if (failure.place === 'resource' || failure.place === 'operation') {
      seen.set(failure.application, outlook.text);
    } else if (failure.place === 'condition' && failure.since && !seen.has(failure.application)) {
      seen.set(
        failure.application,
        `The condition is there since ${failure.since.toISOString().replace('.000Z', 'Z')}; Argo CD looks again at every reconciliation (${reconciliation}).`,
      );
    }
  }
  const lines = [...seen].map(([application, text]) => `${application}: ${text}`);
  return lines.length > shown
    ? [...lines.slice(0, shown), `and ${lines.length - shown} more Applications`]
    : lines;
}

/** argoproj/argo-cd v3.3.4 docs/operator-manual/argocd-cm.yaml: timeout.reconciliation 120s, jitter 60s. */
const reconciliation = 'by default every 2 to 3 minutes';
