import { awsRegion, iamRoleArn } from '../../../core/aws/arns';
import type { ReadinessSubject } from '../../../core/readiness';
import { oneOfWords, textRule } from '../../../core/validation/formats';
import { Problems } from '../../../core/validation/problems';
import { manifestsSubject } from '../../../operate/ready';

const clusterName = textRule(
  /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/,
  'the name of an EKS cluster: letters, digits, "-" and "_", at most 100 characters',
);

const minorRelease = textRule(/^1\.(0|[1-9]\d{0,2})$/, 'a minor version of Kubernetes: 1.36');

/** Milliseconds: nothing takes longer. */
const longestTimeout = 3_600_000;

/**
 * Everything that is wrong with the flags at once.
 *
 * @throws InvalidInput
 */
export function checkFlags(
  paths: readonly string[],
  flags: ReadyFlags,
  all: readonly ReadinessSubject[],
): void {
  const { to, kubeconfig, context, cluster, region, roleArn, subject = [], timeout } = flags;
  const { newKubeconfig, newContext, rights, format } = flags;
  const problems = new Problems('ready');
  problems.check('--to', to, minorRelease);
  const given = [kubeconfig, context, newKubeconfig, newContext, cluster, ...paths];
  const wantsManifests = subject.includes(manifestsSubject);
  if (rights !== true && (wantsManifests ? paths.length === 0 : given.every((each) => each === undefined))) {
    problems.add(
      'PATH',
      undefined,
      wantsManifests
        ? `files or folders with manifests, with --subject ${manifestsSubject}`
        : 'manifests to look at, or a cluster: --cluster, --kubeconfig or --context',
    );
  }
  if (cluster !== undefined) {
    problems.check('--cluster', cluster, clusterName);
  }
  if (region !== undefined) {
    problems.check('--region', region, awsRegion);
  }
  if (roleArn !== undefined) {
    problems.check('--role-arn', roleArn, iamRoleArn);
  }
  for (const [name, value] of Object.entries({ '--region': region, '--role-arn': roleArn })) {
    if (value !== undefined && cluster === undefined && rights !== true) {
      problems.add(name, value, 'left out without --cluster');
    }
  }
  const names = [...all.map((each) => each.name), manifestsSubject];
  subject.forEach((name) => problems.check('--subject', name, oneOfWords(...names)));
  if (timeout !== undefined && (timeout < 1 || timeout > longestTimeout)) {
    problems.add('--timeout', `${timeout}ms`, 'a duration above zero, of at most an hour: 90s, 5m');
  }
  if (rights === true && format === 'sarif') {
    problems.add('--format', format, '"text" or "json" with --rights');
  }
  problems.throwIfAny();
}

/** What `cluster-canary ready` takes beside the paths. */
export interface ReadyFlags {
  /** The version to upgrade to. */
  readonly to: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  /** @default - that of `kubeconfig` */
  readonly newKubeconfig?: string;
  readonly newContext?: string;
  /** Name of the EKS cluster. */
  readonly cluster?: string;
  readonly region?: string;
  readonly roleArn?: string;
  readonly helmReleases?: boolean;
  /** Names of subjects. @default - all */
  readonly subject?: readonly string[];
  /** Milliseconds. @default 120000 */
  readonly timeout?: number;
  readonly concurrency: number;
  readonly failOn: 'error' | 'warning';
  readonly format: 'text' | 'json' | 'sarif';
  readonly rights?: boolean;
}
