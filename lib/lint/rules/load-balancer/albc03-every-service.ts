import type { LabelSelector } from '../../../core/kubernetes/label-selector';
import type { RawFinding, Rule } from '../../rule';
import type { AdmissionWebhook } from '../../views/admission';
import { chartValue, isSet, loadBalancerCharts, narrows, renderedWebhooks } from '../../views/applications';
import type { LoadBalancerChart } from '../../views/applications';

/** What the chart's values say of one webhook. */
interface Switch {
  readonly webhook: string;
  readonly sees: string;
  /** Clusters go on without new Ingresses, and hardly without new Services. */
  readonly severity: 'error' | 'warning';
  readonly why: string;
  readonly fix: string;
  /** Value that takes the webhook away, by what it is then. */
  readonly off: readonly [path: readonly string[], value: boolean];
  readonly selectors: readonly (readonly string[])[];
  readonly policy: readonly string[];
  /** First minor version of the chart 1.x that has it. */
  readonly since: number;
}

const switches: readonly Switch[] = [
  {
    webhook: 'mservice.elbv2.k8s.aws',
    sees: 'Service',
    severity: 'error',
    why: 'Services of every type and of other controllers go through it, with Fail: without the controller none can be created',
    fix: 'set enableServiceMutatorWebhook to false (a Service then asks for the controller by its loadBalancerClass), or serviceMutatorWebhookConfig.failurePolicy to Ignore, or give it a selector',
    off: [['enableServiceMutatorWebhook'], false],
    selectors: [
      ['serviceMutatorWebhookConfig', 'namespaceSelectors'],
      ['serviceMutatorWebhookConfig', 'objectSelector'],
    ],
    policy: ['serviceMutatorWebhookConfig', 'failurePolicy'],
    since: 5,
  },
  {
    webhook: 'vingress.elbv2.k8s.aws',
    sees: 'Ingress',
    severity: 'warning',
    why: 'Ingresses of other controllers go through it, too, with Fail: without this controller none can be created or changed; those that are there go on',
    fix: 'set webhookConfig.ingressValdationFailurePolicy (so spelled) to Ignore, or give it a selector; with webhookConfig.disableIngressValidation: true, nothing enforces disableIngressClassAnnotation and disableIngressGroupNameAnnotation any more',
    off: [['webhookConfig', 'disableIngressValidation'], true],
    selectors: [
      ['webhookConfig', 'ingressValidationNamespaceSelector'],
      ['webhookConfig', 'ingressValidationObjectSelector'],
    ],
    // Their spelling.
    policy: ['webhookConfig', 'ingressValdationFailurePolicy'],
    since: 0,
  },
];

/**
 * The webhooks are checked, and no Ingress or Service.
 *
 * @see https://github.com/kubernetes-sigs/aws-load-balancer-controller/blob/v3.5.0/helm/aws-load-balancer-controller/values.yaml
 * @see https://github.com/kubernetes-sigs/aws-load-balancer-controller/blob/v3.5.0/webhooks/networking/ingress_validator.go
 */
export const albc03: Rule = {
  id: 'ALBC03',
  severity: 'error',
  title: 'AWS Load Balancer Controller: a webhook for every Service or Ingress',
  why: 'it is called for every new Service, or every new or changed Ingress, of the cluster, those of other controllers too, with Fail: without the controller none of them gets through',
  fix: 'set their failure policies to Ignore or give them selectors, or turn them off: enableServiceMutatorWebhook, webhookConfig.disableIngressValidation',
  *check({ objects }) {
    for (const each of switches) {
      for (const chart of objects.view(loadBalancerCharts)) {
        yield* evaluateValues(chart, each);
      }
      for (const webhook of objects.view(renderedWebhooks).get(each.webhook) ?? []) {
        yield* evaluateRendered(webhook, each);
      }
    }
  },
};

function* evaluateValues(
  { object, source, minorOfOne }: LoadBalancerChart,
  each: Switch,
): Iterable<RawFinding> {
  if (minorOfOne !== undefined && minorOfOne < each.since) {
    return;
  }
  const [path, off] = each.off;
  const [enabled, policy] = [chartValue(source, ...path), chartValue(source, ...each.policy)];
  const selectors = each.selectors.map((selector) => chartValue(source, ...selector));
  const isOff = enabled.by === 'given' && isSet(enabled.value) === off;
  const isScoped = selectors.some(({ by, value }) => by === 'given' && narrows(value));
  if (isOff || isScoped || (policy.by === 'given' && policy.value === 'Ignore')) {
    return;
  }
  const isKnown = [enabled, policy, ...selectors].every(({ by }) => by !== 'unknown');
  const { pointer } = enabled.field;
  const name = path.join('.');
  yield isKnown
    ? {
        ...{ object, pointer, severity: each.severity, why: each.why, fix: each.fix },
        message: `${each.webhook} sees every ${each.sees}: ${name} is not ${String(off)}`,
      }
    : {
        object,
        pointer,
        severity: 'info',
        ...{ why: each.why, fix: each.fix },
        message: `whether ${each.webhook} sees every ${each.sees} is set in a file or a parameter that is not among the manifests`,
      };
}

function* evaluateRendered(
  webhook: AdmissionWebhook,
  { sees, severity, why, fix }: Switch,
): Iterable<RawFinding> {
  const { object, field, name, failurePolicy, namespaceSelector, objectSelector } = webhook;
  if (failurePolicy === 'Fail' && ![namespaceSelector, objectSelector].some(scopes)) {
    yield {
      ...{ object, pointer: field.pointer, severity, why, fix },
      message: `${name} sees every ${sees}, with Fail`,
    };
  }
}

/** The chart always leaves out its own objects, by their name: that narrows nothing. */
function scopes(selector: LabelSelector | undefined): boolean {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  return (
    Object.keys(matchLabels).length > 0 ||
    matchExpressions.some(({ key, operator }) => key !== 'app.kubernetes.io/name' || operator !== 'NotIn')
  );
}
