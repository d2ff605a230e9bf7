import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { OptionsOf } from '../problems';
import { dnsLabel, dnsSubdomain } from '../problems';
import type { FieldChecks } from './field-checks';

/** What every object of this room is known by in the cluster that runs Argo CD. */
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

export const argoObjectPropsKeys: OptionsOf<ArgoObjectProps> = {
  name: 'plain',
  namespace: 'plain',
  labels: 'plain',
  annotations: 'plain',
};

/** Group and version of Argo CD's own kinds. */
const argoApiVersion = 'argoproj.io/v1alpha1';

/**
 * The label by which Argo CD finds Secrets that configure it.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/
 */
export const secretTypeLabel = 'argocd.argoproj.io/secret-type';

/** Checks what `ArgoObjectProps` asks for. Names and namespaces must be final when the program runs. */
export function checkArgoObject(checks: FieldChecks, props: ArgoObjectProps): void {
  checks.problems.check('name', props.name, dnsSubdomain);
  if (props.namespace !== undefined) {
    checks.problems.check('namespace', props.namespace, dnsLabel);
  }
  checks.labels('labels', props.labels);
  checks.annotations('annotations', props.annotations);
}

/** Checks labels that go onto a Secret beside the one that Argo CD finds it by. */
export function checkSecretLabels(checks: FieldChecks, labels: ArgoObjectProps['labels']): void {
  if (labels?.[secretTypeLabel] !== undefined) {
    checks.problems.add(
      `labels.${secretTypeLabel}`,
      labels[secretTypeLabel],
      'left out: the construct sets this label',
    );
  }
}

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
