import { secretTypeLabel } from '../../core/names';
import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import { across, optional } from '../../core/validation/collections';
import { dnsLabel, dnsSubdomain, textRule } from '../../core/validation/formats';
import type { Format } from '../../core/validation/problems';
import type { Entries } from '../../core/validation/schema';
import { holdsLogin } from '../../core/validation/secrets';
import { following } from '../../core/validation/values';
import { completedAnnotations, completedLabels } from '../field-schemas';

/** What every object of this module is known by in the cluster that runs Argo CD. */
export interface ArgoObjectProps {
  /**
   * Name of the Kubernetes object: a DNS subdomain, at most 253 characters. It is never derived from the
   * construct tree, because Argo CD's objects refer to each other by name.
   */
  readonly name: string;
  /**
   * Namespace of the object.
   * @default 'argocd' - where Argo CD's own install manifests put it; a namespace of the chart does not count
   */
  readonly namespace?: string;
  /** Labels of the object. @default - none of its own; labels of the chart are added by cdk8s */
  readonly labels?: Readonly<Record<string, string>>;
  /** Annotations of the object. @default - none */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Names and namespaces have to be final when the program runs. */
export const argoObjectEntries: Entries<ArgoObjectProps> = {
  name: following(dnsSubdomain),
  namespace: optional(following(dnsLabel)),
  labels: optional(completedLabels()),
  annotations: optional(completedAnnotations()),
};

/** Group and version of Argo CD's own kinds. */
const argoApiVersion = 'argoproj.io/v1alpha1';

/** The same of a Secret that Argo CD finds by its label. */
export const secretObjectEntries: Entries<ArgoObjectProps> = {
  ...argoObjectEntries,
  labels: optional(
    across(completedLabels(), (given, { mustBe }) => {
      if (given[secretTypeLabel] !== undefined) {
        mustBe([secretTypeLabel], 'left out: the construct sets this label');
      }
    }),
  ),
};

/** The object of an Argo CD kind. */
export function argoObject(
  scope: Construct,
  kind: string,
  props: ArgoObjectProps & { readonly finalizers?: readonly string[] },
  spec: object,
): ApiObject {
  return new ApiObject(scope, 'Resource', {
    apiVersion: argoApiVersion,
    kind,
    metadata: {
      ...objectMetadata(props),
      ...(props.finalizers?.length ? { finalizers: [...props.finalizers] } : {}),
    },
    spec,
  });
}

/** A Secret that Argo CD reads. All of its values are strings, since Kubernetes takes nothing else there. */
export function argoSecret(
  scope: Construct,
  secretType: 'cluster' | 'repository' | 'repo-creds',
  props: ArgoObjectProps,
  stringData: Readonly<Record<string, string | undefined>>,
): ApiObject {
  return new ApiObject(scope, 'Resource', {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'Opaque',
    metadata: secretMetadata(props, secretType),
    stringData,
  });
}

/** Metadata of such a Secret. */
export function secretMetadata(
  props: ArgoObjectProps,
  secretType: 'cluster' | 'repository' | 'repo-creds',
): ReturnType<typeof objectMetadata> {
  const metadata = objectMetadata(props);
  return { ...metadata, labels: { ...metadata.labels, [secretTypeLabel]: secretType } };
}

function objectMetadata({ name, namespace = 'argocd', labels, annotations }: ArgoObjectProps): {
  name: string;
  namespace: string;
  labels: Record<string, string>;
  annotations?: Record<string, string>;
} {
  return { name, namespace, labels: { ...labels }, ...(annotations && { annotations: { ...annotations } }) };
}

/** Any text; an empty one means "none" or "the core group" to Kubernetes. */
export const anyText: Format = textRule(/^/, 'a text');

/** A URL over TLS. User information in it would put a credential where everybody reads it. */
export const httpsUrl: Format = textRule(
  /^https:\/\/[^\s/@?#]+([/?#][^\s]*)?$/,
  'a URL that starts with "https://", without user information',
);

/**
 * The ARN of an EKS cluster, by which the managed Argo CD of EKS knows it.
 * @see https://docs.aws.amazon.com/eks/latest/userguide/argocd-register-clusters.html
 */
export const clusterArn: Format = textRule(
  /^arn:aws[a-z-]*:eks:[a-z0-9-]+:\d{12}:cluster\/[0-9A-Za-z][0-9A-Za-z_-]{0,99}$/,
  'the ARN of an EKS cluster',
);

/** What Argo CD knows a cluster by: the URL of its API server, or an ARN where Argo CD is EKS's managed one. */
export const clusterServer: Format = {
  allowed: `${httpsUrl.allowed} or a secret in its query, or the ARN of an EKS cluster`,
  accepts: (value) => (httpsUrl.accepts(value) && !holdsLogin(String(value))) || clusterArn.accepts(value),
};

/** The ARN of an IAM role. */
export const clusterRoleArn: Format = textRule(
  /^arn:aws[a-z-]*:iam::\d{12}:role\/\S+$/,
  'the ARN of an IAM role',
);

const duration = '(\\d+(\\.\\d+)?(ns|us|µs|ms|s|m|h))+';

/**
 * A duration as Go writes it, above zero.
 * @see https://pkg.go.dev/time#ParseDuration
 */
export const positiveDuration: Format = textRule(
  new RegExp(`^(?=.*[1-9])${duration}$`),
  'a duration above zero, such as "30s", "5m" or "1h30m"',
);

/**
 * A duration of a sync's retry: Argo CD takes a bare number for seconds.
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/auto_sync/#automatic-retry-with-a-limit
 */
export const retryDuration: Format = textRule(
  new RegExp(`^(?=.*[1-9])(\\d+|${duration})$`),
  'a duration above zero, such as "5s" or "3m"',
);

/** A JSON pointer (RFC 6901) to something inside an object. */
export const jsonPointer: Format = textRule(
  /^(\/([^~/]|~[01])*)+$/,
  'a JSON pointer such as "/spec/replicas" ("~1" is "/", "~0" is "~")',
);

/** One of Argo CD's sync options. */
export const syncOption: Format = textRule(
  /^[A-Za-z]+=[A-Za-z]+$/,
  'an option and its value, such as "CreateNamespace=true"',
);

/**
 * A Helm release name. Argo CD takes the Application's name where none is set.
 * @see https://helm.sh/docs/chart_template_guide/getting_started/
 */
export const helmReleaseName: Format = textRule(
  /^(?=.{1,53}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
  'lower-case letters, digits, "-" and ".", a letter or digit at both ends of each part, at most 53 characters',
);

/** Base64 text, as a certificate is in a cluster's configuration. */
export const base64: Format = textRule(
  /^(?=.)([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  'PEM text in base64, in one line',
);

/** A number above zero, as a number or as its digits. */
export const identifier: Format = {
  allowed: 'a whole number above 0',
  accepts: (value) =>
    (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) ||
    (typeof value === 'string' && /^[1-9]\d*$/.test(value)),
};

/** Plain data as JSON has it. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };
