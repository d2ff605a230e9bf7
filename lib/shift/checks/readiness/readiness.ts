import { awsRegion } from '../../../core/aws/arns';
import type { AllowStatement } from '../../../core/aws/iam';
import { parseDuration } from '../../../core/durations';
import {
  kubernetesVersion,
  readinessAccess,
  readinessPermissions,
  readinessSubjects,
} from '../../../core/readiness';
import { list, optional } from '../../../core/validation/collections';
import { fits, flag, oneOf, text } from '../../../core/validation/values';
import { combinedResult } from '../../engine';
import type { Check, CheckResult, ShiftSubject } from '../../engine';
import { checkArgs, checkKind } from '../check-kind';
import type { IamStatement } from '../check-kind';
import { timeSpan } from '../shared/schemas';
import {
  slotAccess,
  slotServerEntries,
  slotServerProblems,
  slotServersOfPrograms,
} from '../shared/slot-servers';
import { chosenSubjects } from './args';
import type { ReadinessArgs } from './args';
import { Asking, passed } from './asking';
import { shiftedSlots } from './slots';

/** How long an answer without a finding is good, in milliseconds: other checks may be asked again and again meanwhile. */
const keptFor = 300_000;

const subjectName = oneOf(...readinessSubjects.map(({ name }) => name));

/**
 * What is known before an upgrade: EKS's insights, APIs that go, add-ons without a version. It is asked before the first
 * write of a shift to a newer version of Kubernetes, and passes without asking after that.
 *
 * The clusters of the slots that lose are those that run now, those of the slots that gain are of the new version, or of several:
 * each pair is asked about.
 */
export const readiness = checkKind('readiness', {
  asks: 'EKS and API servers: is anything known that the new version of Kubernetes breaks?',
  stages: ['before'],
  perRouter: false,
  beforeTraffic: true,
  needs: 'nothing',
  args: checkArgs<ReadinessArgs>({
    to: optional(kubernetesVersion),
    ...slotServerEntries,
    region: optional(fits(awsRegion, { pattern: awsRegion.form.source })),
    subjects: optional(list(subjectName, 1)),
    helmReleases: optional(flag),
    allow: optional(list(text('the id of a finding: EKS09', /^[A-Z]{2,8}\d{1,4}$/))),
    failOn: optional(oneOf('error', 'warning')),
    mayBeUntried: optional(list(subjectName)),
    timeout: optional(timeSpan),
  }),
  programOnly: slotServersOfPrograms,
  problems: (args, subject) => {
    const { timeout } = args;
    const isLong = typeof timeout === 'string' && (parseDuration(timeout) ?? 0) >= 60_000;
    return [
      ...slotServerProblems(args, subject),
      ...(isLong ? [{ path: 'timeout', value: timeout, allowed: 'less than 1m, which a check has' }] : []),
    ];
  },
  create: (name, settings, context): Check => {
    let kept: { readonly asked: string; readonly until: number; readonly result: CheckResult } | undefined;
    return {
      name,
      stages: ['before'],
      evaluate: async (window, signal) => {
        if (window.writes.length > 0) {
          return passed('asked before the first write, and not again');
        }
        const { losing, gaining } = shiftedSlots(window);
        if (losing.length === 0 || gaining.length === 0) {
          return passed('no slot gives its traffic to another one');
        }
        const pairs = losing.flatMap((from) => gaining.map((to) => ({ losing: from, gaining: to })));
        const asked = JSON.stringify(pairs);
        if (kept?.asked === asked && window.to < kept.until) {
          return kept.result;
        }
        const results = await Promise.all(
          pairs.map((each) => {
            const asking = new Asking(settings, context, signal ?? new AbortController().signal);
            return asking.evaluate(each, window);
          }),
        );
        const result = combinedResult(distinct(results));
        kept = result.status === 'pass' ? { asked, until: window.to + keptFor, result } : undefined;
        return result;
      },
    };
  },
  permissions: (settings, subject) => permissionsOf(settings, subject),
  access: (settings, subject) => {
    // Any slot may be the one that loses.
    const rules = readinessAccess(chosenSubjects(settings), 'kubernetes', 'newKubernetes');
    return rules.map((rule) => slotAccess(settings, subject, rule));
  },
});

/** Slots of the same version have the same to say: once is enough. */
function distinct(results: readonly CheckResult[]): readonly CheckResult[] {
  return [...new Map(results.map((each) => [each.reason, each])).values()];
}

/** Any slot may be the one that loses. The version of a cluster is read with the right of the first action. */
function permissionsOf(settings: ReadinessArgs, { slots, region }: ShiftSubject): readonly IamStatement[] {
  const asked = chosenSubjects(settings).filter(({ needs }) => needs === 'eks');
  const [first] = asked;
  if (first === undefined) {
    return [];
  }
  const version = { ...first, permissions: [versionStatement] };
  const resources = new Map<string, Set<string>>();
  for (const { clusterName } of Object.values(slots)) {
    const place = { clusterName, region: settings.region ?? region };
    for (const { Action, Resource } of readinessPermissions([version, ...asked], place)) {
      const key = JSON.stringify(Action);
      resources.set(key, new Set([...(resources.get(key) ?? []), ...[Resource].flat()]));
    }
  }
  return [...resources].map(([actions, at]) => ({
    actions: JSON.parse(actions) as readonly string[],
    resources: [...at],
  }));
}

const versionStatement: AllowStatement = {
  ...{ Sid: 'ReadVersion', Effect: 'Allow', Action: ['eks:DescribeCluster'] },
  Resource: 'arn:*:eks:*:*:cluster/*',
};
