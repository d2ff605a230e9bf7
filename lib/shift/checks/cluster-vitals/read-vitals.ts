import type { Clock } from '../../../core/async';
import { AwsError } from '../../../core/aws/errors';
import { matchesGlob } from '../../../core/glob';
import type { KubernetesObject, ListOptions } from '../../../core/kubernetes/api';
import { isKubernetesError } from '../../../core/kubernetes/errors';
import { oneLine } from '../../../core/printable-text';
import { issueFinding } from '../../../core/readiness/eks/health';
import type { EksHealth } from '../../../core/readiness/eks/health';
import { SourceError } from '../../engine';
import {
  answersVital,
  areComparable,
  coreDns,
  dnsVital,
  isSuspect,
  presentPods,
  readDnsCounters,
} from './dns';
import type { DnsCounters } from './dns';
import { everywhere } from './missing';
import { aboutOf } from './objects';
import { isAutoMode, nodeVital } from './nodes';
import { podVitals } from './pods';
import type { ClusterReader } from './reader';
import { refusalVital } from './refusals';
import type { ClusterVitals, CountedVital, UntriedVital, Vital, VitalCount, VitalTimes } from './vitals';

/** What is read of a cluster. */
export interface VitalsQuestion {
  readonly vitals: readonly Vital[];
  /** Namespaces of the pods. @default - all */
  readonly namespaces?: readonly string[];
  /** Namespaces that don't count, as globs. */
  readonly ignore: readonly string[];
  readonly times: VitalTimes;
}

/** CoreDNS's pods that are asked: autoscaling may make hundreds of them. */
const mostDnsPods = 10;

/** Between two looks at CoreDNS's counters, in milliseconds. Where the first two say that many answers fail, there is a third. */
const dnsPauseMs = 2_000;

/**
 * Reads the vitals of one cluster, all at once. A vital that may not be read is untried, and says why.
 *
 * @throws KubernetesError where the API server does not answer
 */
export async function readVitals(
  reader: ClusterReader,
  question: VitalsQuestion,
  clock: Pick<Clock, 'sleep'>,
  signal?: AbortSignal,
): Promise<ClusterVitals> {
  const { vitals, times } = question;
  const untried: UntriedVital[] = [];
  const careful = new CarefulVitals(reader, question, untried);
  const wants = (...any: readonly Vital[]): boolean => any.some((each) => vitals.includes(each));
  const listed = ['restarts', 'oomKills', 'pendingPods', 'imagePulls', 'podNetworks', 'refusedPods'] as const;
  const [pods, sandboxes, refusals, nodes, dns, eks] = await Promise.all([
    careful.inNamespaces(listed, 'Pod'),
    careful.inNamespaces(['podNetworks'], 'Event', 'reason=FailedCreatePodSandBox'),
    careful.inNamespaces(['refusedPods'], 'Event', 'reason=FailedCreate'),
    wants('nodes', 'dns') ? careful.list(['nodes'], 'Node', {}) : undefined,
    wants('dns', 'dnsAnswers') ? careful.list(['dns', 'dnsAnswers'], 'Pod', dnsPods) : undefined,
    wants('eks') ? careful.eks() : undefined,
  ]);
  const isInNodes = nodes === undefined ? undefined : isAutoMode(nodes);
  const answers =
    wants('dnsAnswers') && dns ? await careful.dnsAnswers(dns, isInNodes, clock, signal) : undefined;
  if (wants('dns') && dns && nodes === undefined && presentPods(dns).length === 0) {
    untried.push(dnsElsewhere);
  }
  const counts: Partial<Record<CountedVital, VitalCount>> = {
    ...(pods && podVitals(pods, sandboxes ?? [], times)),
    ...(pods && refusals && { refusedPods: refusalVital(pods, refusals, times) }),
    ...(nodes && { nodes: nodeVital(nodes, times) }),
    ...(dns && { dns: dnsVital(dns, times) }),
    ...(answers && { dnsAnswers: answers }),
  };
  const tried = (vital: string): boolean =>
    vitals.some((each) => each === vital) && !untried.some((each) => each.vital === vital);
  return {
    counts: Object.fromEntries(Object.entries(counts).filter(([vital]) => tried(vital))),
    ...(eks && { eksFaults: faultsOf(eks) }),
    ...(isInNodes === undefined ? {} : { hasDnsInNodes: isInNodes }),
    ...(pods && { podsIn: podsBy(pods, question.namespaces) }),
    untried,
  };
}

function podsBy(
  pods: readonly KubernetesObject[],
  namespaces: readonly string[] | undefined,
): Readonly<Record<string, number>> {
  return namespaces === undefined
    ? { [everywhere]: pods.length }
    : Object.fromEntries(
        namespaces.map((each) => [each, pods.filter(({ metadata }) => metadata.namespace === each).length]),
      );
}

/** Where nodes may not be listed, a cluster without DNS looks like one of EKS Auto Mode. */
const dnsElsewhere: UntriedVital = {
  vital: 'dns',
  why: 'no pod of CoreDNS, and without the right to list nodes nobody knows whether they have DNS themselves',
  denied: true,
};

const noCoreDns = new SourceError(
  'no pod of CoreDNS; where the nodes have DNS themselves, leave dnsAnswers out of vitals',
);

const dnsPods = { namespace: coreDns.namespace, labelSelector: coreDns.labelSelector };

/** Reads what it may for vitals that are wanted. */
class CarefulVitals {
  public constructor(
    private readonly reader: ClusterReader,
    private readonly question: VitalsQuestion,
    private readonly untried: UntriedVital[],
  ) {}

  /** All of the namespaces that count; undefined where none of the vitals is wanted, or the right is missing. */
  public async inNamespaces(
    vitals: readonly Vital[],
    kind: 'Pod' | 'Event',
    fieldSelector?: string,
  ): Promise<readonly KubernetesObject[] | undefined> {
    const { namespaces, ignore } = this.question;
    if (!vitals.some((each) => this.question.vitals.includes(each))) {
      return undefined;
    }
    const lists = await Promise.all(
      (namespaces ?? [undefined]).map((namespace) =>
        this.list(vitals, kind, {
          ...(fieldSelector === undefined ? {} : { fieldSelector }),
          ...(namespace === undefined ? {} : { namespace }),
        }),
      ),
    );
    const of = (object: KubernetesObject): string =>
      kind === 'Event' ? aboutOf(object).namespace : (object.metadata.namespace ?? '');
    return lists.some((each) => each === undefined)
      ? undefined
      : lists
          .flatMap((each) => each ?? [])
          .filter((object) => !ignore.some((pattern) => matchesGlob(pattern, of(object))));
  }

  /** Objects, or undefined where the right is missing. */
  public async list(
    vitals: readonly Vital[],
    kind: string,
    options: Omit<ListOptions, 'signal'>,
  ): Promise<readonly KubernetesObject[] | undefined> {
    try {
      return await this.reader.list({ apiVersion: 'v1', kind }, options);
    } catch (error) {
      if (!(error instanceof Error) || !isKubernetesError(error, 'denied')) {
        throw error;
      }
      this.note(vitals, error);
      return undefined;
    }
  }

  /** DNS answers while it is looked at; undefined where the pods say nothing of it. */
  public async dnsAnswers(
    pods: readonly KubernetesObject[],
    isInNodes: boolean | undefined,
    clock: Pick<Clock, 'sleep'>,
    signal?: AbortSignal,
  ): Promise<VitalCount | undefined> {
    const names = presentPods(pods)
      .map(({ metadata }) => metadata.name)
      .sort()
      .slice(0, mostDnsPods);
    if (names.length === 0 && isInNodes !== true) {
      // The vital dns says it, where it is looked at.
      this.note(this.question.vitals.includes('dns') ? [] : ['dnsAnswers'], noCoreDns);
      return undefined;
    }
    const looks: ReadonlyMap<string, DnsCounters>[] = [];
    for (let look = 0; look < 3 && names.length > 0; look += 1) {
      if (look > 0) {
        await clock.sleep(dnsPauseMs, signal);
      }
      const failures: Error[] = [];
      const found = await Promise.all(
        names.map(async (name): Promise<readonly (readonly [string, DnsCounters])[]> => {
          const counters = await this.counters(name).catch((error: unknown) => {
            signal?.throwIfAborted();
            failures.push(error as Error);
            return undefined;
          });
          return counters === undefined ? [] : [[name, counters]];
        }),
      );
      looks.push(new Map(found.flat()));
      // As of its pods, the most have to be known.
      if (2 * failures.length > names.length) {
        this.note(['dnsAnswers'], failures[0]!);
        return undefined;
      }
      if (look > 0 && !isSuspect(answersVital(looks))) {
        break;
      }
    }
    const why = names.length > 0 && whyNothing(looks);
    if (why) {
      this.note(['dnsAnswers'], new SourceError(why));
      return undefined;
    }
    return answersVital(looks);
  }

  /** What EKS says; undefined where nothing of it could be read. */
  public async eks(): Promise<EksHealth | undefined> {
    try {
      const health = await this.reader.eksHealth();
      this.untried.push(
        ...health.untried.map((why): UntriedVital => ({
          ...{ vital: 'eks', why },
          denied: why.includes('not allowed'),
        })),
      );
      return health;
    } catch (error) {
      if (!(error instanceof AwsError) && !(error instanceof SourceError)) {
        throw error;
      }
      this.note(['eks'], error);
      return undefined;
    }
  }

  private async counters(pod: string): Promise<DnsCounters> {
    const counters = readDnsCounters(await this.reader.dnsMetrics(pod));
    if (counters === undefined) {
      throw new SourceError(`${pod}: what it serves at port ${coreDns.port} are no metrics of CoreDNS`);
    }
    return counters;
  }

  private note(vitals: readonly Vital[], error: Error): void {
    const denied = isKubernetesError(error, 'denied');
    this.untried.push(
      ...vitals
        .filter((vital) => this.question.vitals.includes(vital))
        .map((vital) => ({ vital, why: oneLine(error.message), denied })),
    );
  }
}

/** Why counters say nothing. One that only stands still says that nobody asked meanwhile, as in a cluster without traffic. */
function whyNothing(looks: readonly ReadonlyMap<string, DnsCounters>[]): string | undefined {
  if (!areComparable(looks)) {
    return 'the counters of CoreDNS began anew between two looks';
  }
  return [...looks.at(-1)!.values()].every(({ answers }) => answers === 0)
    ? 'CoreDNS has answered nothing since it started'
    : undefined;
}

/** Faults by what the same fault of another cluster has in common with it: names of node groups differ. */
function faultsOf({ issues }: EksHealth): Readonly<Record<string, string>> {
  return Object.fromEntries(
    issues
      .filter(({ severity }) => severity === 'error')
      .map((issue) => [`${issue.of} ${issue.code}`, issueFinding('EKS16', issue).message]),
  );
}
