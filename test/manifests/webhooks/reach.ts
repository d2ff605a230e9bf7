import type { WebhookRule } from '../../../lib/core/admission/requests';
import { selects } from '../../../lib/core/kubernetes/label-selector';
import type { Labels, LabelSelector } from '../../../lib/core/kubernetes/label-selector';

/** The selectors of a webhook or a policy. */
interface Selectors {
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector?: LabelSelector;
}

/** Whether the API server would send an object in a namespace to the webhook, its rules apart. */
export function asks(
  entry: Selectors,
  namespace: string,
  objectLabels: Labels,
  namespaceLabels: Labels,
): boolean {
  const ofNamespace = { ...namespaceLabels, 'kubernetes.io/metadata.name': namespace };
  return selects(entry.namespaceSelector, ofNamespace) && selects(entry.objectSelector, objectLabels);
}

/** Whether a rule matches a resource, as the API server does it. */
export function matches(given: WebhookRule, group: string, path: string): boolean {
  const [resource, below = ''] = path.split('/');
  return (
    given.apiGroups.some((each) => each === '*' || each === group) &&
    given.resources.some((each) => {
      const [ofResource, ofBelow = ''] = each.split('/');
      return (
        (ofResource === '*' || ofResource === resource) &&
        (ofBelow === below || (below !== '' && ofBelow === '*') || each === '*/*')
      );
    })
  );
}

/** What must stay writable while a webhook is down. */
export const critical: readonly [string, string][] = [
  ['', 'nodes'],
  ['', 'nodes/status'],
  ['', 'pods/binding'],
  ['coordination.k8s.io', 'leases'],
  ['certificates.k8s.io', 'certificatesigningrequests'],
  ['authentication.k8s.io', 'tokenreviews'],
  ['authorization.k8s.io', 'subjectaccessreviews'],
];
