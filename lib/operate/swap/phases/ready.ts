import type { AwsClients } from '../../../core/aws/clients';
import type { KubernetesApi } from '../../../core/kubernetes/api';
import { openKubernetes } from '../../../core/kubernetes/open';
import {
  evaluateReadiness,
  inspectReadiness,
  minorVersion,
  missingFor,
  readinessSubjects,
} from '../../../core/readiness';
import type { ReadinessQuestion, ReadinessSubject, SubjectResult } from '../../../core/readiness';
import { errorLine } from '../../../core/validation/problems';
import type { ReadFiles } from '../../ready';
import type { HubProblem } from './hubs';
import type { PhaseAnswer, PhaseRun, PhaseRunner } from '../runner';

/** What {@link readyPhase} asks. */
export interface ReadyPhase {
  /** AWS, in the region of the fleet. */
  readonly clients: AwsClients;
  /** Name of the EKS cluster of a slot. */
  readonly clusterOf: (slot: string) => string;
  /** Why hubs that later phases need can't be asked. @default - none is needed */
  readonly hubProblems?: (signal: AbortSignal) => Promise<readonly HubProblem[]>;
  /**
   * Names of the subjects that are asked. @default - all that the old cluster can be asked for, but Helm's release records: they
   * are Secrets, and hold the values of releases
   */
  readonly subjects?: readonly string[];
  /** Reads the manifests that are looked at as well. @default - none are */
  readonly manifests?: () => ReadFiles | Promise<ReadFiles>;
  /** Ids of findings that are accepted: `EKS09`. @default - none */
  readonly allow?: readonly string[];
  /** The least severity that fails. @default 'error' */
  readonly failOn?: 'error' | 'warning';
  /** How long the subjects may take, in milliseconds. @default 120000 - as long as `cluster-canary ready` gives them */
  readonly timeoutMs?: number;
  /** Calls that a subject may have under way at once. @default 4 - AWS throttles an account, not a caller */
  readonly concurrency?: number;
  /** Every subject that there is. @default - those of the library */
  readonly all?: readonly ReadinessSubject[];
  /** Opens the API server of an EKS cluster. @default - by what EKS says of it */
  readonly openApi?: (clusterName: string, signal: AbortSignal) => Promise<KubernetesApi>;
  /** Milliseconds since 1970. @default - this machine's time */
  readonly now?: () => number;
}

/**
 * `ready`: do the hubs answer, and is anything known that the new version breaks? EKS and the API server of the old cluster are asked, and manifests are
 * read. A finding fails; what nobody looked at has not passed. What compares with a cluster of the new version is left out
 * where it is not named: there is none yet.
 */
export function readyPhase(settings: ReadyPhase): PhaseRunner {
  return { phase: 'ready', run: (run, signal) => new Readiness(settings, run, signal).judge() };
}

/**
 * The subjects that are asked.
 *
 * @param names as in {@link ReadyPhase}
 */
export function askedSubjects(
  names?: readonly string[],
  all: readonly ReadinessSubject[] = readinessSubjects,
): readonly ReadinessSubject[] {
  return all.filter(
    ({ name, needs, optional }) =>
      names?.includes(name) ?? (needs !== 'newKubernetes' && optional === undefined),
  );
}

class Readiness {
  private readonly subjects: readonly ReadinessSubject[];
  private readonly cluster: string;

  public constructor(
    private readonly settings: ReadyPhase,
    private readonly run: PhaseRun,
    private readonly signal: AbortSignal,
  ) {
    const { all = readinessSubjects, subjects } = settings;
    this.subjects = askedSubjects(subjects, all);
    this.cluster = settings.clusterOf(run.other.name);
  }

  public async judge(): Promise<PhaseAnswer> {
    const unreachable = (await this.settings.hubProblems?.(this.signal)) ?? [];
    if (unreachable.length > 0) {
      return {
        passed: false,
        reason: unreachable.map(({ reason }) => reason).join('; '),
        final: unreachable.some(({ final }) => final),
      };
    }
    const { slot, other, say } = this.run;
    const to = slot.version;
    if ((minorVersion(to) ?? Infinity) <= (minorVersion(other.version) ?? 0)) {
      say(`ready: ${other.version} to ${to} is no upgrade: nothing is asked`);
      return { passed: true };
    }
    const { allow = [], failOn = 'error', manifests } = this.settings;
    const files = manifests ? [await judged(await manifests(), to)] : [];
    const results = [...(await this.asked(to)), ...files];
    const { status, reason } = evaluateReadiness(results, { to, allow, failOn, mayBeUntried: [] });
    say(`ready: ${results.length} ${results.length === 1 ? 'subject' : 'subjects'}: ${reason}`);
    return status === 'pass' ? { passed: true } : { passed: false, reason, final: status === 'fail' };
  }

  private async asked(to: string): Promise<readonly SubjectResult[]> {
    const { clients, concurrency = 4, timeoutMs = 120_000, now = Date.now } = this.settings;
    const { signal, cluster: clusterName, subjects } = this;
    const helmReleases = subjects.some(({ optional }) => optional === 'helmReleases');
    const opened = subjects.some(({ needs }) => needs === 'kubernetes') ? await this.open() : undefined;
    try {
      const question: ReadinessQuestion = {
        ...{ to, concurrency, signal, helmReleases, now: now(), eks: { clusterName, clients } },
        ...(opened && 'api' in opened ? { kubernetes: opened.api } : {}),
        progress: () => undefined,
      };
      const results = await inspectReadiness({ subjects, question, timeout: timeoutMs });
      const reasons = {
        kubernetes: opened && 'why' in opened ? opened.why : 'no API server is known',
        newKubernetes: 'there is no cluster of the new version yet: leave it to a check of `try`',
        eks: '',
        helmReleases: '',
      };
      // Those that there was nothing to ask for have passed nothing.
      const unasked = subjects.flatMap((subject): readonly SubjectResult[] => {
        const lacks = missingFor(subject, question);
        const { name, title } = subject;
        return lacks === undefined
          ? []
          : [{ name, title, findings: [], looked: 'nothing', untried: [reasons[lacks]], seconds: 0 }];
      });
      return [...results, ...unasked];
    } finally {
      if (opened && 'api' in opened) {
        opened.api.close();
      }
    }
  }

  private async open(): Promise<{ readonly api: KubernetesApi } | { readonly why: string }> {
    const { clients, openApi } = this.settings;
    const { cluster: clusterName, signal } = this;
    try {
      return {
        api: openApi
          ? await openApi(clusterName, signal)
          : await openKubernetes({
              kubeconfigText: await (await import('../../ready')).eksServer({ clusterName, clients, signal }),
            }),
      };
    } catch (error) {
      signal.throwIfAborted();
      return { why: errorLine(error) };
    }
  }
}

/** The rules are loaded where there are manifests, and not before. */
async function judged(files: ReadFiles, to: string): Promise<SubjectResult> {
  const { judgeManifests } = await import('../../ready');
  return judgeManifests(files, to);
}
