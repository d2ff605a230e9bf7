import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { dnsSubdomain, wholeNumber } from '../../core/validation/formats';
import { optionKeyProblems, refuseOptions } from '../../core/validation/option-keys';
import type { OptionsOf } from '../../core/validation/option-keys';
import { Problems } from '../../core/validation/problems';
import type { Problem } from '../../core/validation/problems';
import { withoutNamespace } from '../objects';
import { certifiedPropsKeys, checkCertificate, injectionOf, sourceProblems } from './ca-injection';
import type { CertifiedProps } from './ca-injection';
import { checkMetadata } from './matching';
import { checkDisruptionBudget, checkServer, checkService, disruptionBudget } from './server';
import type { WebhookMetadata } from './webhook-props';

/** What an aggregated API needs. */
export interface ApiServiceProps extends CertifiedProps {
  /** API group that the server serves: `metrics.example.com`. */
  readonly group: string;
  /** Version of the group: `v1beta1`. */
  readonly version: string;
  /** The Service that the server is behind. An APIService has no `path`. */
  readonly service: Omit<CertifiedProps['service'], 'path'>;
  /**
   * Where clients that ask for a kind by its short name look first: the group with the highest number, 1 to 20000.
   * @default 1000 - as Kubernetes gives the groups of custom resources
   */
  readonly groupPriorityMinimum?: number;
  /**
   * Which version of the group clients prefer: that with the highest number, 1 to 1000; at the same number `v2` stands
   * before `v1`, and that before `v1beta1`.
   * @default 100 - as Kubernetes gives the versions of custom resources
   */
  readonly versionPriority?: number;
  /** Labels and annotations; the name is always `VERSION.GROUP`. @default - none */
  readonly metadata?: Omit<WebhookMetadata, 'name'>;
}

const apiServicePropsKeys: OptionsOf<ApiServiceProps> = {
  ...certifiedPropsKeys,
  group: 'plain',
  version: 'plain',
  service: { name: 'plain', namespace: 'plain', port: 'plain' },
  groupPriorityMinimum: 'plain',
  versionPriority: 'plain',
  metadata: { labels: 'plain', annotations: 'plain' },
};

/** A name of RFC 1035, as versions have. */
const versionName = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Everything that is wrong with the props of an aggregated API, evaluated from the props alone. */
export function apiServiceProblems(props: ApiServiceProps): readonly Problem[] {
  const unfit = optionKeyProblems(props, apiServicePropsKeys);
  if (unfit.length > 0) {
    return unfit;
  }
  const problems = new Problems('API service');
  const { group, version, service, metadata, groupPriorityMinimum, versionPriority } = props;
  problems.check('group', group, dnsSubdomain);
  if (!versionName.test(version)) {
    problems.add('version', version, 'a version such as "v1" or "v1beta1"');
  }
  checkMetadata(problems, metadata);
  checkService(problems, 'service', { name: service.name, namespace: service.namespace, port: service.port });
  checkCertificate(problems, props);
  checkServer(problems, 'server', props.server);
  if (groupPriorityMinimum !== undefined) {
    problems.check('groupPriorityMinimum', groupPriorityMinimum, wholeNumber(1, 20_000));
  }
  if (versionPriority !== undefined) {
    problems.check('versionPriority', versionPriority, wholeNumber(1, 1000));
  }
  return problems.all;
}

/**
 * An API that a server in the cluster serves behind the API server's address, as one APIService. The server's
 * certificate is always verified: `insecureSkipTLSVerify` is never set, and the CA is injected.
 *
 * There is no failure policy: while the server can't be reached, its API is gone, discovery is incomplete, and no
 * namespace can be deleted, since its remaining content is not known. So `server` is required: two replicas and a
 * PodDisruptionBudget.
 *
 * @see https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/
 * @example
 * new ApiService(chart, 'metrics', {
 *   group: 'metrics.example.com',
 *   version: 'v1',
 *   service: { name: 'metrics', namespace: 'metrics-system' },
 *   server: { podLabels: { app: 'metrics' }, replicas: 2 },
 *   certificate,
 * });
 */
export class ApiService extends Construct {
  /** The APIService. It never holds a CA bundle: that is injected in the cluster. */
  public readonly apiService: ApiObject;
  /** The PodDisruptionBudget of the server, shared with the webhooks of the chart behind the same Service. */
  public readonly disruptionBudget?: ApiObject;

  /** @throws InvalidInput with everything that is wrong with the props */
  public constructor(scope: Construct, id: string, props: ApiServiceProps) {
    refuseOptions(`ApiService "${id}"`, props, apiServicePropsKeys);
    const { group, version, service, server, metadata } = props;
    const problems = new Problems(`ApiService "${id}"`);
    problems.addAll(apiServiceProblems(props));
    checkDisruptionBudget(problems, scope, service, server);
    problems.throwIfAny();
    super(scope, id);
    this.apiService = new ApiObject(this, 'ApiService', {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: {
        name: `${version}.${group}`,
        labels: { ...metadata?.labels },
        annotations: { ...metadata?.annotations, ...injectionOf(props).annotations },
      },
      spec: {
        group,
        version,
        groupPriorityMinimum: props.groupPriorityMinimum ?? 1000,
        versionPriority: props.versionPriority ?? 100,
        service: { name: service.name, namespace: service.namespace, port: service.port ?? 443 },
      },
    });
    withoutNamespace(this.apiService);
    if (props.certificate) {
      this.apiService.node.addDependency(props.certificate);
    }
    this.disruptionBudget = disruptionBudget(this, service, server);
    this.node.addValidation({ validate: () => this.problemsAtSynth() });
  }

  /** What can be spoiled after construction, through the object itself. */
  private problemsAtSynth(): string[] {
    const { metadata, spec } = this.apiService.toJson() as {
      metadata: { annotations?: Record<string, string> };
      spec: { insecureSkipTLSVerify?: boolean };
    };
    return [
      ...sourceProblems(metadata.annotations),
      ...(spec.insecureSkipTLSVerify === true
        ? ['spec.insecureSkipTLSVerify must be left out: the CA is injected']
        : []),
    ];
  }
}
