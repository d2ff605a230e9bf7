import { equalBut, isServiceAccount, serverFields } from '../../../core/admission/cel';
import type { AccessRule } from '../../../core/kubernetes/api';
import { activeLabel, trafficLabel } from '../../../core/names';
import type { ValidatingPolicyProps } from '../../webhooks';

/** Whether these rights reach Secrets that can't be told from others by a Role: those of the labels of a plan. */
export function changesSecrets(access: readonly AccessRule[]): boolean {
  return access.some(
    ({ apiGroups, resources, verbs, resourceNames }) =>
      apiGroups.includes('') &&
      resources.includes('secrets') &&
      verbs.includes('patch') &&
      resourceNames === undefined,
  );
}

/**
 * Props of the policy: the shift's account changes the traffic labels of cluster Secrets, and nothing else of any Secret. The
 * right to patch Secrets is the right to give a cluster another server and other credentials.
 *
 * @param annotations of cluster Secrets that it changes as well. @default - none
 */
export function labelsPolicy(
  name: string,
  account: { readonly namespace: string; readonly name: string },
  labels: Readonly<Record<string, string>>,
  annotations: readonly string[] = [],
): ValidatingPolicyProps {
  const mapOf = (object: string, field: string) =>
    `(has(${object}.metadata.${field}) ? ${object}.metadata.${field} : {})`;
  const hasAnnotations = annotations.length > 0;
  return {
    name: `labels.${name}.${account.namespace}.cluster-canary`,
    metadata: { labels },
    intent: 'security',
    rules: [{ operations: ['UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'] }],
    matchConditions: [{ name: 'account', expression: isServiceAccount(account.namespace, account.name) }],
    variables: [
      { name: 'now', expression: mapOf('object', 'labels') },
      { name: 'before', expression: mapOf('oldObject', 'labels') },
      ...(hasAnnotations
        ? [
            { name: 'nowNoted', expression: mapOf('object', 'annotations') },
            { name: 'beforeNoted', expression: mapOf('oldObject', 'annotations') },
          ]
        : []),
    ],
    validations: [
      [
        `variables.before[?"argocd.argoproj.io/secret-type"] == optional.of("cluster")`,
        'changes cluster Secrets of Argo CD alone',
      ],
      [equalBut(['metadata'], 'object', 'oldObject'), 'changes metadata of a Secret alone'],
      [
        equalBut(
          [...serverFields, 'labels', ...(hasAnnotations ? ['annotations'] : [])],
          'object.metadata',
          'oldObject.metadata',
        ),
        `changes labels${hasAnnotations ? ' and annotations' : ''} of a Secret alone`,
      ],
      [
        equalBut([trafficLabel, activeLabel], 'variables.now', 'variables.before'),
        `changes the labels ${trafficLabel} and ${activeLabel} alone`,
      ],
      ...(hasAnnotations
        ? [
            [
              equalBut(annotations, 'variables.nowNoted', 'variables.beforeNoted'),
              `changes the annotations ${annotations.join(', ')} alone`,
            ],
          ]
        : []),
    ].map(([expression, message]) => ({
      expression: expression!,
      message: `${account.name} ${message!}`,
      reason: 'Forbidden' as const,
    })),
  };
}
