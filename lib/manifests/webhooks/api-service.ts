import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { object, optional } from '../../core/validation/collections';
import { dnsSubdomain } from '../../core/validation/formats';
import type { Problem } from '../../core/validation/problems';
import type { Schema } from '../../core/validation/schema';
import { fits, text, whole } from '../../core/validation/values';
import { propsProblems, refuseProps } from '../field-schemas';
import { withoutNamespace } from '../objects';
import { certificateProblems, certifiedEntries, injectionOf, sourceProblems } from './ca-injection';
import type { CertifiedProps } from './ca-injection';
import { webhookMetadata } from './matching';
import type { WebhookMetadata } from './matching';
import { disruptionBudget, disruptionBudgetProblems, serviceEntries } from './server';

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

const { name: _, ...metadataEntries } = webhookMetadata;

const apiServiceProps: Schema<ApiServiceProps> = object<ApiServiceProps>({
  ...certifiedEntries,
  service: object<ApiServiceProps['service']>(serviceEntries),
  group: fits(dnsSubdomain),
  // A name of RFC 1035.
  version: text('a version such as "v1" or "v1beta1"', /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/),
  groupPriorityMinimum: optional(whole(1, 20_000)),
  versionPriority: optional(whole(1, 1000)),
  metadata: optional(object<Omit<WebhookMetadata, 'name'>>(metadataEntries)),
});

/** Everything that is wrong with the props of an aggregated API, evaluated from the props alone. */
export function apiServiceProblems(props: ApiServiceProps): readonly Problem[] {
  return propsProblems(apiServiceProps, props, (sound) => certificateProblems(sound, props));
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
    refuseProps(`ApiService "${id}"`, apiServiceProps, props, (sound) => [
      ...certificateProblems(sound, props),
      ...disruptionBudgetProblems(scope, sound.service, sound.server),
    ]);
    const { group, version, service, server, metadata } = props;
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
