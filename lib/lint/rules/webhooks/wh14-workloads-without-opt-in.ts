import { severities } from '../../rule';
import type { RawFinding, Rule, Severity } from '../../rule';
import { admissionWebhooks } from '../../views/admission';
import type { AdmissionWebhook } from '../../views/admission';
import { listInWords, webhookInWords } from './shared/format';
import { asksAbout, conditionsInWords, isOptIn, isSelective } from './shared/reach';

/** @see https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/#webhook-limit-scope */
export const wh14: Rule = {
  id: 'WH14',
  severity: 'error',
  title: 'Every rollout, Service or Ingress depends on the webhook',
  why: 'while the webhook cannot be called, or its certificate does not fit, none of these is created or changed anywhere: no rollout goes on, and no rollback does either',
  fix: 'require a label (matchLabels, In or Exists), set failurePolicy: Ignore, or declare cluster-canary/intent: security',
  *check({ objects }) {
    for (const webhook of objects.view(admissionWebhooks)) {
      if (webhook.failurePolicy === 'Fail' && webhook.intent !== 'security' && !isOptIn(webhook)) {
        yield* evaluate(webhook);
      }
    }
  },
};

interface Resource {
  readonly group: string;
  readonly resource: string;
  /** `error` where nothing rolls out or is found by its name without it; `info` where only changes of it wait. */
  readonly severity: Severity;
  /** @default true */
  readonly namespaced?: boolean;
}

const of = (severity: Severity, group: string, ...resources: readonly string[]): Resource[] =>
  resources.map((resource) => ({ group, resource, severity }));

/** Built-in resources that applications consist of, beside pods, which WH06 is about. */
const resources: readonly Resource[] = [
  ...of('error', 'apps', 'deployments', 'replicasets', 'statefulsets', 'daemonsets'),
  ...of('error', '', 'services', 'endpoints'),
  ...of('error', 'discovery.k8s.io', 'endpointslices'),
  ...of('warning', 'batch', 'jobs', 'cronjobs'),
  ...of('warning', '', 'configmaps', 'secrets', 'persistentvolumeclaims'),
  ...of('info', '', 'serviceaccounts'),
  ...of('info', 'networking.k8s.io', 'ingresses', 'networkpolicies'),
  ...of('info', 'autoscaling', 'horizontalpodautoscalers'),
  ...of('info', 'policy', 'poddisruptionbudgets'),
  ...of('info', 'rbac.authorization.k8s.io', 'roles', 'rolebindings'),
  { group: '', resource: 'namespaces', severity: 'info', namespaced: false },
];

function* evaluate(webhook: AdmissionWebhook): Iterable<RawFinding> {
  const asked = (group: string, resource: string, namespaced = true): boolean =>
    (['CREATE', 'UPDATE'] as const).some((operation) =>
      asksAbout(webhook, { operation, group, resource, namespaced }),
    );
  const hit = resources.filter(({ group, resource, namespaced }) => asked(group, resource, namespaced));
  // Who refuses every pod is told so by WH06.
  if (hit.length === 0 || asked('', 'pods')) {
    return;
  }
  const unless = conditionsInWords(webhook);
  const worst = severities.find((each) => hit.some(({ severity }) => severity === each))!;
  const selective = isSelective(webhook.namespaceSelector) || isSelective(webhook.objectSelector);
  yield {
    object: webhook.object,
    pointer: webhook.field.get('objectSelector').pointer,
    severity: unless.length > 0 ? 'info' : worst,
    message: [
      `${webhookInWords(webhook)} is called for ${listInWords(hit.map(({ resource }) => resource))}, and no label opts in`,
      ...unless.map((each) => `, unless ${each}`),
      ...(selective ? ['; its selectors only leave some out (NotIn, DoesNotExist)'] : []),
    ].join(''),
  };
}
