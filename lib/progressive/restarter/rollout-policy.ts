import type { ValidatingPolicyProps } from '../../admission';
import { equalBut, isServiceAccount, serverFields } from '../../admission';
import { historyAnnotation, totalAnnotation } from '../restart/history';
import type { RestarterSettings } from './settings';

/**
 * Props of the policy: the Jobs' account asks Rollouts for restarts, and changes nothing else of them. The right to patch
 * a Rollout is the right to give it another image.
 */
export function rolloutPolicy(settings: RestarterSettings): ValidatingPolicyProps {
  const { name, namespace, jobAccount, labels } = settings;
  const annotations = (object: string) =>
    `(has(${object}.metadata.annotations) ? ${object}.metadata.annotations : {})`;
  return {
    name: `rollouts.${name}.${namespace}.cluster-canary`,
    metadata: { labels },
    intent: 'security',
    rules: [
      {
        operations: ['UPDATE'],
        apiGroups: ['argoproj.io'],
        apiVersions: ['v1alpha1'],
        resources: ['rollouts'],
      },
    ],
    matchConditions: [{ name: 'job', expression: isServiceAccount(namespace, jobAccount) }],
    variables: [
      { name: 'now', expression: annotations('object') },
      { name: 'before', expression: annotations('oldObject') },
    ],
    validations: [
      [equalBut(['restartAt'], 'object.spec', 'oldObject.spec'), 'spec.restartAt'],
      [
        equalBut([...serverFields, 'annotations'], 'object.metadata', 'oldObject.metadata'),
        'annotations, and no other metadata',
      ],
      [
        equalBut([historyAnnotation, totalAnnotation], 'variables.now', 'variables.before'),
        'the annotations of restarts',
      ],
    ].map(([expression, message]) => ({
      expression: expression!,
      message: `${jobAccount} changes of a Rollout only ${message!}`,
      reason: 'Forbidden',
    })),
  };
}
