import type { AwsClients } from '../aws';
import { awsClients } from '../aws';
import { readBoundedLater } from '../files';
import { openKubernetes } from '../kubernetes';
import type { RunProgram } from '../programs';
import { runProgram } from '../programs';
import type { Clock, ShiftSubject } from '../shift';
import { systemClock } from '../shift';
import type { AlarmSource } from './alarm-source';
import { awsAlarms, awsTargetHealth } from './aws-health';
import type { HttpClient } from './http-client';
import { httpClient } from './http-client';
import type { KubernetesSource } from './kubernetes-source';
import { sharedKubernetes } from './kubernetes-source';
import type { TargetHealthSource } from './target-states';
import { awsMetricData } from './aws-metric-data';
import type { MetricData } from './metric-data';
import type { AwsCredentials } from './aws-credentials';

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
  /** Runs programs. */
  readonly runProgram: RunProgram;
}

/** No key and no bundle of authorities is longer; in bytes. */
const longestSecretFile = 4_000_000;

/** What checks are made with outside of tests. */
export function checkContext(subject: ShiftSubject, given: Partial<CheckContext> = {}): CheckContext {
  const clients = new Map<string | undefined, AwsClients>();
  const aws = (region = subject.region): AwsClients => {
    const known = clients.get(region) ?? awsClients({ region, roleArn: subject.roleArn });
    clients.set(region, known);
    return known;
  };
  return {
    subject,
    clock: systemClock,
    env: process.env,
    random: Math.random,
    readFile: async (path) => (await readBoundedLater(path, longestSecretFile)).toString('utf8'),
    http: httpClient(),
    metricData: (region) => awsMetricData(aws(region)),
    credentials: async () => (await aws().cloudWatch()).config.credentials(),
    targetHealth: { targets: (arn, signal) => awsTargetHealth(aws()).targets(arn, signal) },
    alarms: { alarms: (names, signal) => awsAlarms(aws()).alarms(names, signal) },
    kubernetes: sharedKubernetes((settings) => openKubernetes(settings)),
    runProgram,
    ...given,
  };
}
