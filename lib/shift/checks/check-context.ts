import type { Clock } from '../../core/async';
import type { AwsClients } from '../../core/aws/clients';
import type { HttpClient } from '../../core/http';
import type { KubernetesSettings } from '../../core/kubernetes/access';
import type { KubernetesApi, KubernetesReader, PodLogs } from '../../core/kubernetes/api';
import type { RunProgram } from '../../core/process/run-program';
import type { ShiftSubject } from '../engine';
import type { OwnRequests, SendProbe } from '../probes';

/** What checks are made with. Whatever reaches outside of the process stands here, so that a test can give its own. */
export interface CheckContext {
  /** The slots that are shifted between, and where their figures are. */
  readonly subject: ShiftSubject;
  /** The time, and waiting for it. */
  readonly clock: Clock;
  /** Environment variables: keys of metric services are read from here when a check asks, and kept nowhere. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** A number from 0 to 1, for the jitter of retries. */
  readonly random: () => number;
  /** Reads a text file: secrets that are mounted, certificates. */
  readonly readFile: (path: string) => Promise<string>;
  /** HTTP services other than AWS. */
  readonly http: HttpClient;
  /** Sends requests to one slot alone. */
  readonly sendProbe: SendProbe;
  /** What all checks of this process have sent to the slots. */
  readonly ownRequests: OwnRequests;
  /** Clients of AWS with the subject's role, in a region; in the subject's without one. */
  readonly aws: (region?: string) => AwsClients;
  /** CloudWatch's metrics of a region; of the subject's without one. */
  readonly metricData: (region?: string) => MetricData;
  /** Credentials for requests that are signed here, with the subject's role. */
  readonly credentials: () => Promise<AwsCredentials>;
  /** Health of targets, in the subject's region. */
  readonly targetHealth: TargetHealthSource;
  /** CloudWatch's alarms, in the subject's region. */
  readonly alarms: AlarmSource;
  /** API servers of Kubernetes. */
  readonly kubernetes: KubernetesSource;
  /** API servers of Kubernetes, for checks that run Jobs there. */
  readonly kubernetesJobs: KubernetesJobSource;
  /** Runs programs. */
  readonly runProgram: RunProgram;
}

/** CloudWatch's alarms, as far as checks ask for them. */
export interface AlarmSource {
  /**
   * The alarms with these names, metric and composite ones; those that are not there are left out.
   *
   * @throws SourceError
   */
  alarms(names: readonly string[], signal?: AbortSignal): Promise<readonly AlarmState[]>;
}

/** What CloudWatch says of one alarm. */
export interface AlarmState {
  /** Name of the alarm. */
  readonly name: string;
  /** `OK`, `ALARM`, `INSUFFICIENT_DATA` */
  readonly state: string;
}

/**
 * One query to CloudWatch: a metric with a statistic, or an expression over other queries. The words are those of
 * `MetricDataQuery`.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDataQuery.html
 */
export interface MetricDataQuery {
  /** Name of the query in this call: a small letter, then letters, digits and "_". */
  readonly Id: string;
  /** A metric, and what is made of it; or there is an expression. */
  readonly MetricStat?: {
    /** Which metric. */
    readonly Metric: {
      /** Its namespace: `AWS/ApplicationELB`. */
      readonly Namespace: string;
      /** Its name: `RequestCount`. */
      readonly MetricName: string;
      /** Its dimensions, all of them. */
      readonly Dimensions?: readonly {
        /** Name of the dimension. */
        readonly Name: string;
        /** The dimension's value. */
        readonly Value: string;
      }[];
    };
    /** Seconds. */
    readonly Period: number;
    /** `Sum`, `p99`, `TC(0.5:10)` */
    readonly Stat: string;
    /** Unit of the metric; points in other units are left out. @default - any */
    readonly Unit?: string;
  };
  /** Metric math over other queries of the call, by their ids. */
  readonly Expression?: string;
  /** What a person calls it. */
  readonly Label?: string;
  /** Seconds; of an expression. */
  readonly Period?: number;
  /** Whether it is answered, or only used by an expression. @default true */
  readonly ReturnData?: boolean;
  /** Account whose metrics are asked for. @default - the caller's */
  readonly AccountId?: string;
}

/** Points of one query: each a start of a period, in milliseconds since 1970, and a value; in order of time. */
export interface MetricSeries {
  /** `Id` of the query. */
  readonly id: string;
  /** The points, the oldest first. */
  readonly points: readonly (readonly [at: number, value: number])[];
}

/** CloudWatch, as far as checks ask it. */
export interface MetricData {
  /**
   * Every point of the queries from `from` (included) to `to` (excluded), of every page.
   *
   * @throws SourceError
   */
  query(
    queries: readonly MetricDataQuery[],
    from: number,
    to: number,
    signal?: AbortSignal,
  ): Promise<readonly MetricSeries[]>;
}

/** Credentials of AWS, as a signature needs them. */
export interface AwsCredentials {
  /** Id of the access key. */
  readonly accessKeyId: string;
  /** The secret of the access key: it is shown nowhere. */
  readonly secretAccessKey: string;
  /** Token of a role's session. @default - the key is a user's */
  readonly sessionToken?: string;
}

/** Health of the targets of target groups. */
export interface TargetHealthSource {
  /**
   * Every target of a target group.
   *
   * @throws SourceError
   */
  targets(targetGroupArn: string, signal?: AbortSignal): Promise<readonly TargetState[]>;
}

/**
 * What a load balancer says of one target.
 *
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_TargetHealth.html
 */
export interface TargetState {
  /** `healthy`, `unhealthy`, `initial`, `draining`, `unhealthy.draining`, `unused`, `unavailable` */
  readonly state: string;
  /** `Target.NotInUse` */
  readonly reason?: string;
}

/** Opens API servers, as far as checks ask them. */
export type KubernetesSource = (settings: KubernetesSettings) => Promise<KubernetesReader>;

/** An API server, as far as a check that runs Jobs needs it. */
export type JobServer = Pick<KubernetesApi, 'server' | 'get' | 'list' | 'create' | 'remove'> & PodLogs;

/** Opens API servers, as far as checks run Jobs there. */
export type KubernetesJobSource = (settings: KubernetesSettings) => Promise<JobServer>;
