import type { Rule } from '../../rule';
import type { AdmissionWebhook } from '../../views/admission';
import { chartValue, loadBalancerCharts, narrows, renderedWebhooks } from '../../views/applications';

const webhook = 'quicid.elbv2.k8s.aws';

const optIn = 'elbv2.k8s.aws/quic-server-id-inject';

/** @see https://github.com/kubernetes-sigs/aws-load-balancer-controller/blob/v3.5.0/helm/aws-load-balancer-controller/templates/webhook.yaml */
export const albc02: Rule = {
  id: 'ALBC02',
  severity: 'error',
  title: 'AWS Load Balancer Controller: its selectors widen a webhook that refuses',
  why: `webhookNamespaceSelectors also replaces the opt-in of ${webhook}, which is fixed to Fail: without the controller, no pod is created in any namespace that it matches`,
  fix: 'leave webhookNamespaceSelectors out, and label namespaces that want readiness gates: elbv2.k8s.aws/pod-readiness-gate-inject=enabled',
  *check({ objects }) {
    for (const { object, source } of objects.view(loadBalancerCharts)) {
      const { by, value, field } = chartValue(source, 'webhookNamespaceSelectors');
      if (by === 'given' && narrows(value)) {
        yield {
          object,
          pointer: field.pointer,
          message: `webhookNamespaceSelectors is set, for ${webhook} too`,
        };
      }
    }
    for (const entry of objects.view(renderedWebhooks).get(webhook) ?? []) {
      if (entry.failurePolicy === 'Fail' && !asksForIt(entry)) {
        yield {
          object: entry.object,
          pointer: entry.field.get('namespaceSelector').pointer,
          message: `${webhook} is called in namespaces that do not have the label ${optIn}`,
        };
      }
    }
  },
};

function asksForIt({ namespaceSelector, objectSelector }: AdmissionWebhook): boolean {
  return [namespaceSelector, objectSelector].some(
    (selector) =>
      Object.hasOwn(selector?.matchLabels ?? {}, optIn) ||
      (selector?.matchExpressions ?? []).some(
        ({ key, operator }) => key === optIn && (operator === 'In' || operator === 'Exists'),
      ),
  );
}
