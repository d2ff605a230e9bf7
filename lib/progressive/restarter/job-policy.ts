import type { ValidatingPolicyProps, Validation } from '../../admission';
import { celText as cel, isServiceAccount } from '../../admission';
import { applicationPattern } from './message';
import { containerName, containerSecurity, jobArguments, podSecurity, retries } from './job';
import type { RestarterSettings } from './settings';

/** Fields that a Job has here, those included that the API server fills in. What a later version adds is refused. */
const known = {
  metadata: [
    ...['name', 'generateName', 'namespace', 'labels', 'uid', 'creationTimestamp', 'generation'],
    ...['managedFields', 'resourceVersion'],
  ],
  job: [
    ...['template', 'backoffLimit', 'podFailurePolicy', 'activeDeadlineSeconds', 'ttlSecondsAfterFinished'],
    ...['parallelism', 'completions', 'completionMode', 'suspend', 'podReplacementPolicy', 'selector'],
    'manualSelector',
  ],
  templateMetadata: ['labels', 'creationTimestamp'],
  pod: [
    ...['containers', 'restartPolicy', 'serviceAccountName', 'serviceAccount', 'securityContext'],
    ...['terminationGracePeriodSeconds', 'dnsPolicy', 'schedulerName'],
  ],
  container: [
    ...['name', 'image', 'command', 'args', 'resources', 'securityContext', 'imagePullPolicy'],
    ...['terminationMessagePath', 'terminationMessagePolicy'],
  ],
};

const variables = [
  { name: 'pod', expression: 'object.spec.template.spec' },
  { name: 'container', expression: 'variables.pod.containers[0]' },
];

/**
 * Props of the policy: from the Sensor's account come Jobs with this image, command and service account, and nothing
 * else. Access control can't say that: whoever may create Jobs may create any, with any account of the namespace.
 */
export function jobPolicy(settings: RestarterSettings): ValidatingPolicyProps {
  const { name, namespace, sensorAccount, labels } = settings;
  return {
    name: `jobs.${name}.${namespace}.cluster-canary`,
    metadata: { labels },
    intent: 'security',
    rules: [
      { operations: ['CREATE', 'UPDATE'], apiGroups: ['batch'], apiVersions: ['v1'], resources: ['jobs'] },
    ],
    matchConditions: [{ name: 'sensor', expression: isServiceAccount(namespace, sensorAccount) }],
    variables,
    validations: validations(settings).map(([expression, message]): Validation => ({
      expression,
      message: `${sensorAccount} makes Jobs with ${message}`,
      reason: 'Forbidden',
    })),
  };
}

function validations(settings: RestarterSettings): [string, string][] {
  const { name, namespace, image, command, jobAccount, jobLabels } = settings;
  const allLabels = { ...settings.labels, ...jobLabels };
  return [
    [`object.metadata.namespace == ${cel(namespace)}`, `the namespace ${namespace}`],
    [`object.metadata.name.startsWith(${cel(`${name}-`)})`, `names that begin with ${name}-`],
    [
      `size(variables.pod.containers) == 1 && variables.container.name == ${cel(containerName)}`,
      'one container',
    ],
    [`variables.container.image == ${cel(image)}`, `the image ${image}`],
    [
      `has(variables.container.command) && variables.container.command == ${cel(command)}`,
      `the command ${command.join(' ')}`,
    ],
    [argumentsExpression(settings), 'the arguments of restart-rollout'],
    [
      `has(variables.pod.serviceAccountName) && variables.pod.serviceAccountName == ${cel(jobAccount)}`,
      `the service account ${jobAccount}`,
    ],
    [
      `has(variables.pod.securityContext) && dyn(variables.pod.securityContext) == ${cel(podSecurity(settings))} && ` +
        `has(variables.container.securityContext) && ` +
        `dyn(variables.container.securityContext) == ${cel(containerSecurity)}`,
      'the security context of restart-rollout',
    ],
    [
      `has(object.spec.activeDeadlineSeconds) && ` +
        `object.spec.activeDeadlineSeconds <= ${settings.deadlineSeconds} && ` +
        `has(object.spec.ttlSecondsAfterFinished) && ` +
        `object.spec.ttlSecondsAfterFinished <= ${settings.keepSeconds} && ` +
        `has(object.spec.backoffLimit) && object.spec.backoffLimit <= ${retries}`,
      'a deadline, an end and few retries',
    ],
    [
      `(!has(object.spec.parallelism) || object.spec.parallelism == 1) && ` +
        `(!has(object.spec.completions) || object.spec.completions == 1)`,
      'one pod',
    ],
    [
      `has(object.spec.template.metadata) && has(object.spec.template.metadata.labels) && ` +
        `${cel(allLabels)}.all(k, k in object.spec.template.metadata.labels && ` +
        `object.spec.template.metadata.labels[k] == ${cel(allLabels)}[k])`,
      'the labels by which NetworkPolicies know them',
    ],
    [
      [
        onlyKnown('object.metadata', known.metadata),
        onlyKnown('object.spec', known.job),
        onlyKnown('object.spec.template.metadata', known.templateMetadata),
        onlyKnown('variables.pod', known.pod),
        onlyKnown('variables.container', known.container),
        'variables.pod.restartPolicy == "Never"',
      ].join(' && '),
      'no other fields',
    ],
  ];
}

function argumentsExpression(settings: RestarterSettings): string {
  const args = jobArguments(settings);
  const given = 'variables.container.args';
  const namespaces = settings.allowedNamespaces.map((each) => `--namespace=${each}`);
  const special: Readonly<Record<number, string>> = {
    1: `${given}[1].matches(${cel(`^--application=${applicationPattern}$`)})`,
    2: `${given}[2] in ${cel(namespaces)}`,
  };
  return [
    `has(${given})`,
    `size(${given}) == ${args.length}`,
    ...args.map((each, position) => special[position] ?? `${given}[${position}] == ${cel(each)}`),
  ].join(' && ');
}

function onlyKnown(object: string, fields: readonly string[]): string {
  return `dyn(${object}).all(k, k in ${cel(fields)})`;
}
