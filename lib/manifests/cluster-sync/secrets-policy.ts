import { celText, isServiceAccount } from '../../core/admission/cel';
import { ownerKey, secretTypeLabel } from '../../core/names';
import type { ValidatingPolicyProps } from '../webhooks';
import type { ClusterSetSettings } from './cluster-set';

/** What the policy of a set is made of. */
interface PolicyParts {
  /** Name of the construct, for the policy's. */
  readonly name: string;
  /** The service account that writes. */
  readonly account: { readonly namespace: string; readonly name: string };
  readonly labels: Readonly<Record<string, string>>;
  readonly settings: Pick<ClusterSetSettings, 'name' | 'adopt'>;
}

const maps = (object: string) => ({
  labels: `(has(${object}.metadata.labels) ? ${object}.metadata.labels : {})`,
  annotations: `(has(${object}.metadata.annotations) ? ${object}.metadata.annotations : {})`,
});

const has = (map: string, key: string, value: string): string =>
  `${map}[?${celText(key)}] == optional.of(${celText(value)})`;

const isCluster = (labels: string): string => has(labels, secretTypeLabel, 'cluster');

const isOf = (set: string, labels: string, annotations: string): string =>
  `${has(labels, ownerKey, set)} && ${has(annotations, ownerKey, set)}`;

/**
 * Props of the policy: the set's account makes, changes and removes cluster Secrets of its own set, and no other Secrets. Its
 * Role can't say that: it reaches every Secret of the namespace. A Secret of a type of its own could be a token of another
 * service account.
 */
export function secretsPolicy({ name, account, labels, settings }: PolicyParts): ValidatingPolicyProps {
  const { name: set, adopt } = settings;
  const own = `${isCluster('variables.oldLabels')} && ${isOf(set, 'variables.oldLabels', 'variables.oldAnnotations')}`;
  // As the set itself evaluates it: a label without the annotation that says the same is no owner's.
  const free =
    `${isCluster('variables.oldLabels')} && (!(${celText(ownerKey)} in variables.oldLabels) || ` +
    `variables.oldLabels[?${celText(ownerKey)}] != variables.oldAnnotations[?${celText(ownerKey)}])`;
  const known = adopt ? `request.operation == "UPDATE" && ${free} || ${own}` : own;
  const now = maps('object');
  const old = maps('oldObject');
  return {
    name: `secrets.${name}.${account.namespace}.cluster-canary`,
    metadata: { labels },
    intent: 'security',
    rules: [
      {
        operations: ['CREATE', 'UPDATE', 'DELETE'],
        apiGroups: [''],
        apiVersions: ['v1'],
        resources: ['secrets'],
      },
    ],
    matchConditions: [{ name: 'account', expression: isServiceAccount(account.namespace, account.name) }],
    variables: [
      { name: 'labels', expression: `object != null ? ${now.labels} : {}` },
      { name: 'annotations', expression: `object != null ? ${now.annotations} : {}` },
      { name: 'oldLabels', expression: `oldObject != null ? ${old.labels} : {}` },
      { name: 'oldAnnotations', expression: `oldObject != null ? ${old.annotations} : {}` },
    ],
    validations: [
      [`oldObject == null || ${known}`, `changes and removes Secrets of the set ${set} alone`],
      [
        `object == null || ${isCluster('variables.labels')} && ${isOf(set, 'variables.labels', 'variables.annotations')}`,
        `writes cluster Secrets with label and annotation ${ownerKey}: ${set} alone`,
      ],
      [
        'object == null || has(object.type) && object.type == "Opaque"',
        'writes Secrets of the type Opaque alone',
      ],
    ].map(([expression, message]) => ({
      expression: expression!,
      message: `${account.name} ${message!}`,
      reason: 'Forbidden' as const,
    })),
  };
}
