import { CarefulReader } from '../../../core/kubernetes/tolerant-reader';
import { masked, shortMessage } from '../../../core/redaction';
import { list, object, optional } from '../../../core/validation/collections';
import { text } from '../../../core/validation/values';
import type {
  CheckReport,
  DoctorCheck,
  DoctorCheckKind,
  DoctorContext,
  DoctorFinding,
  FindingSeverity,
} from '../check';
import { applicationFailures } from './failures';
import type { Failure } from './failures';
import { messagePatterns } from './patterns';
import type { MessageCategory, MessagePattern, MessagePlace } from './patterns/pattern';
import { retryOutlook } from './retry-outlook';
import type { RetryOutlook } from './retry-outlook';

/** What a message tells of. */
export interface SortedMessage {
  readonly category: MessageCategory;
  /** Name of the cause; `unknown` where no pattern fits. */
  readonly cause: string;
  /** What several failures of this cause have in common: a webhook, an account, a cluster. */
  readonly by?: string;
  /** The rule of thumb that led there. */
  readonly rule: string;
  readonly advice: string;
}

/** The beginning names who speaks, the end what is wrong; in characters. */
const head = 12_000;

const tail = 4_000;

/**
 * Sorts a message by the first pattern that fits. Of a very long text the middle is left out, so the time is bounded.
 *
 * @param patterns default: all that there are
 */
export function sortMessage(
  message: string,
  place: MessagePlace,
  patterns: readonly MessagePattern[] = messagePatterns,
): SortedMessage {
  const text = message.length > head + tail ? `${message.slice(0, head)}\n${message.slice(-tail)}` : message;
  for (const { expression, places, category, cause, rule, advice } of patterns) {
    const found = places === undefined || places.includes(place) ? expression.exec(text) : null;
    if (found) {
      const by = Object.values(found.groups ?? {}).find((group) => group !== undefined);
      return { category, cause, rule, advice, ...(by === undefined ? {} : { by }) };
    }
  }
  return {
    category: 'unknown',
    cause: 'unknown',
    rule: 'No pattern knows this message.',
    advice: 'Read the message; the log of the application controller or the repository server may show more.',
  };
}

/** A failure, what its message tells of, and whether its Application tries again. */
interface SortedFailure {
  readonly failure: Failure;
  readonly sorted: SortedMessage;
  readonly outlook: RetryOutlook;
}

/** Lines of evidence for the failures of one group; the rest is counted. */
const shown = 8;

/** One finding for each cause: three hundred objects that one webhook refuses are one. */
function groupFailures(failures: readonly SortedFailure[]): readonly DoctorFinding[] {
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

/** Messages of no known pattern belong together where they differ in numbers only. */
function shapeOf({ sorted, failure }: SortedFailure): string {
  return sorted.category === 'unknown' ? failure.message.slice(0, 1_000).replace(/\d+/g, '0') : '';
}

function findingOf(group: readonly SortedFailure[]): DoctorFinding {
  const { sorted } = group[0]!;
  const by = sorted.by === undefined ? '' : ` (${shortMessage(sorted.by, 120)})`;
  return {
    cause: sorted.cause,
    severity: severityOf(group),
    likelihood: sorted.category === 'unknown' ? 'possible' : 'certain',
    subject: secretTitle(group),
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

/** What passes without a change is no error as long as it is tried again. */
function severityOf(group: readonly SortedFailure[]): FindingSeverity {
  if (group.every(({ failure }) => failure.warning)) {
    return 'warning';
  }
  const passes =
    group[0]!.sorted.category === 'transient' &&
    group.every(({ outlook }) => outlook.state === 'waiting' || outlook.state === 'trying');
  return passes ? 'warning' : 'error';
}

function secretTitle(group: readonly SortedFailure[]): string {
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

/** Of each Application one line, for a sync; conditions are refreshed automatically. */
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

/** Options of the check. */
export interface SyncOptions {
  /** Names of the Applications to inspect. @default - all */
  readonly applications?: readonly string[];
}

const syncOptions = object<SyncOptions>({
  applications: optional(list(text('the name of an Application'))),
});

const applicationKind = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' };

/**
 * Inspects Argo CD's Applications: sorts what has failed into what passes without a change, what the user has to fix, and what is
 * wrong between Git and the cluster.
 */
export function syncCheck({ applications }: SyncOptions = {}): DoctorCheck {
  return {
    name: 'sync',
    title: 'conditions, last sync and health of every Application',
    layer: 'applications',
    needsArgoCd: true,
    access,
    examine: (context) => examine(context, applications),
  };
}

/** The kind of it. */
export const sync: DoctorCheckKind<SyncOptions> = { options: syncOptions, create: syncCheck };

const access: DoctorCheck['access'] = () => [
  { apiGroups: ['argoproj.io'], resources: ['applications'], verbs: ['list'] },
];

async function examine(context: DoctorContext, names: readonly string[] | undefined): Promise<CheckReport> {
  const reader = new CarefulReader(context.api, context.signal);
  const found = await applicationsOf(reader, context.namespace);
  const chosen = (found ?? []).filter(({ metadata }) => names === undefined || names.includes(metadata.name));
  const now = context.now();
  const failures: SortedFailure[] = [];
  chosen.forEach((application, position) => {
    if (position > 0 && position % 1_000 === 0) {
      context.progress(`sync: ${position} of ${chosen.length} Applications`);
    }
    const outlook = retryOutlook(application, now);
    for (const failure of applicationFailures(application)) {
      failures.push({ failure, sorted: sortMessage(failure.message, failure.place), outlook });
    }
  });
  const unseen = [...reader.unseen];
  if (found?.length === 0) {
    unseen.push('Applications: there are none; is this the cluster that Argo CD runs in?');
  }
  for (const name of names ?? []) {
    if (found && !found.some(({ metadata }) => metadata.name === name)) {
      unseen.push(`Application ${name}: there is none of this name`);
    }
  }
  return { findings: groupFailures(failures), looked: count(chosen.length), notChecked: unseen };
}

/** Applications may be in any namespace; an account that may not see all is asked for those of Argo CD's own. */
async function applicationsOf(reader: CarefulReader, namespace: string): ReturnType<CarefulReader['list']> {
  return (await reader.list(applicationKind)) ?? reader.list(applicationKind, { namespace });
}

function count(applications: number): string {
  return applications === 1 ? '1 Application' : `${applications} Applications`;
}
