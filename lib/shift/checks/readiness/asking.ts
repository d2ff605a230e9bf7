import type { AwsClients } from '../../../core/aws/clients';
import { callAws, present } from '../../../core/aws/errors';
import { parseDuration } from '../../../core/durations';
import type { KubernetesSettings } from '../../../core/kubernetes/access';
import { saysVersion } from '../../../core/kubernetes/api';
import type { KubernetesReader } from '../../../core/kubernetes/api';
import { evaluateReadiness, inspectReadiness, missingFor } from '../../../core/readiness';
import type { ReadinessQuestion, ReadinessSubject, SubjectResult } from '../../../core/readiness';
import { errorLine } from '../../../core/validation/problems';
import type { CheckResult, CheckWindow } from '../../engine';
import type { CheckContext } from '../check-context';
import { askKubernetes } from '../shared/kubernetes-source';
import { chosenSubjects, defaultTimeout } from './args';
import type { ReadinessArgs } from './args';
import { isBeyond, isNoUpgrade, minorRelease } from './slots';

/** Calls that a subject may have under way at once: AWS throttles an account, not a caller. */
const concurrency = 4;

/** Which slot gives its traffic to which. */
interface Pair {
  readonly losing: string;
  readonly gaining: string;
}

/** A pass without figures. */
export function passed(reason: string): CheckResult {
  return { status: 'pass', reason, figures: [] };
}

/** What an API server or EKS came to: itself, or why not. */
type Opened<Value> = { readonly value: Value } | { readonly why: string };

/** One round of questions. */
export class Asking {
  private clients: AwsClients | undefined;

  /** @param subjects those that are asked. @default - those that the settings ask for */
  public constructor(
    private readonly settings: ReadinessArgs,
    private readonly context: CheckContext,
    private readonly signal: AbortSignal,
    private readonly subjects: readonly ReadinessSubject[] = chosenSubjects(settings),
  ) {}

  public async evaluate({ losing, gaining }: Pair, window: CheckWindow): Promise<CheckResult> {
    const [now, next] = await Promise.all([this.versionOf(losing), this.versionOf(gaining)]);
    const to = this.settings.to ?? ('value' in next ? minorRelease(next.value) : undefined);
    if (to === undefined) {
      const why = 'why' in next ? next.why : `"${next.value}" is no version`;
      return {
        status: 'inconclusive',
        reason: `the version of ${gaining} is not known (set \`to\`): ${why}`,
        figures: [],
      };
    }
    // Else the last upgrade's version in a plan would let every later one pass.
    if ('value' in next && isBeyond(next.value, to)) {
      const reason = `${gaining} runs ${next.value}, which is newer than ${to}: set \`to\` to its version, or leave it out`;
      return { status: 'inconclusive', reason, figures: [] };
    }
    if ('value' in now && isNoUpgrade(now.value, to)) {
      return passed(`${losing} runs ${now.value}: ${to} is no upgrade`);
    }
    const { failOn = 'error', allow = [], mayBeUntried = [] } = this.settings;
    const results = await this.inspect({ losing, gaining }, to, window.to);
    return evaluateReadiness(results, { to, failOn, allow, mayBeUntried });
  }

  private async inspect(
    { losing, gaining }: Pair,
    to: string,
    now: number,
  ): Promise<readonly SubjectResult[]> {
    const { clusterName } = this.context.subject.slots[losing] ?? {};
    // What looks at one of the two clusters may compare it with the other.
    const isLive = this.needs('kubernetes') || this.needs('newKubernetes');
    const [kubernetes, newKubernetes] = await Promise.all(
      [losing, gaining].map(async (slot) => (isLive ? this.open(slot) : undefined)),
    );
    const question: ReadinessQuestion = {
      ...{ to, concurrency, now, signal: this.signal, helmReleases: this.settings.helmReleases === true },
      ...(kubernetes !== undefined && 'value' in kubernetes ? { kubernetes: kubernetes.value } : {}),
      ...(newKubernetes !== undefined && 'value' in newKubernetes
        ? { newKubernetes: newKubernetes.value }
        : {}),
      ...(clusterName === undefined || !this.needs('eks')
        ? {}
        : { eks: { clusterName, clients: this.aws() } }),
      progress: () => undefined,
    };
    const reasons = {
      kubernetes: whyNot(kubernetes),
      newKubernetes: whyNot(newKubernetes),
      eks: `the name of the EKS cluster of ${losing} is not known`,
      helmReleases: '',
    };
    const timeout = parseDuration(this.settings.timeout ?? defaultTimeout) ?? 0;
    const results = await inspectReadiness({ subjects: this.subjects, question, timeout });
    // Those that there was nothing to ask for have passed nothing.
    const unasked = this.subjects.flatMap((subject): readonly SubjectResult[] => {
      const lacks = missingFor(subject, question);
      const { name, title } = subject;
      return lacks === undefined
        ? []
        : [{ name, title, findings: [], looked: 'nothing', untried: [reasons[lacks]], seconds: 0 }];
    });
    return [...results, ...unasked];
  }

  private needs(what: ReadinessSubject['needs']): boolean {
    return this.subjects.some(({ needs }) => needs === what);
  }

  private aws(): AwsClients {
    this.clients ??= this.context.aws(this.settings.region);
    return this.clients;
  }

  /** What EKS says where EKS is asked, else what the API server says. */
  private async versionOf(slot: string): Promise<Opened<string>> {
    const { clusterName } = this.context.subject.slots[slot] ?? {};
    const found =
      clusterName === undefined || !this.needs('eks') ? undefined : await this.eksVersion(clusterName);
    const isLive = this.needs('kubernetes') || this.needs('newKubernetes');
    if (found !== undefined && ('value' in found || !isLive)) {
      return found;
    }
    return this.tried(() =>
      askKubernetes(this.context.kubernetes, this.serverOf(slot), (reader) => {
        if (!saysVersion(reader)) {
          throw new Error('its API server does not say');
        }
        return reader.version(this.signal);
      }),
    );
  }

  private eksVersion(name: string): Promise<Opened<string>> {
    const call = { action: 'eks:DescribeCluster', subject: `EKS cluster ${name}` };
    return this.tried(async () => {
      const eks = await this.aws().eks();
      const { cluster } = await callAws(call, () =>
        eks.describeCluster({ name }, { abortSignal: this.signal }),
      );
      return present(call, 'a version', cluster?.version);
    });
  }

  private open(slot: string): Promise<Opened<KubernetesReader>> {
    return this.tried(() => this.context.kubernetes(this.serverOf(slot)));
  }

  private async tried<Value>(ask: () => Promise<Value>): Promise<Opened<Value>> {
    try {
      return { value: await ask() };
    } catch (error) {
      this.signal.throwIfAborted();
      return { why: errorLine(error) };
    }
  }

  private serverOf(slot: string): KubernetesSettings {
    const { kubeconfig, kubeconfigTexts = {}, contexts = {} } = this.settings;
    const given = Object.hasOwn(kubeconfigTexts, slot) ? kubeconfigTexts[slot] : undefined;
    const context = Object.hasOwn(contexts, slot) ? contexts[slot] : undefined;
    const { clusterName } = this.context.subject.slots[slot] ?? {};
    return given === undefined
      ? { kubeconfig, context: context ?? clusterName }
      : { kubeconfigText: given, context };
  }
}

function whyNot(opened: Opened<KubernetesReader> | undefined): string {
  return opened !== undefined && 'why' in opened ? opened.why : 'no API server is known';
}
