import type { Operation } from '../../../core/admission/requests';
import type { Labels } from '../../../core/kubernetes/label-selector';
import { Field } from '../../object';
import type { ManifestObject } from '../../object';
import type { RawFinding, Rule, RuleContext } from '../../rule';
import { admissionWebhooks } from '../../views/admission';
import type { AdmissionWebhook, CalledServiceView } from '../../views/admission';
import { workloadsBehind } from '../../views/workloads';
import type { Workload } from '../../views/workloads';
import { nameInWords, objectInWords, webhookInWords } from './shared/format';
import { asksAbout, knownNamespace, reachOf, unlessInWords } from './shared/reach';
import type { Reach } from './shared/reach';

/** @see https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/#avoid-self-mutation */
export const wh04: Rule = {
  id: 'WH04',
  severity: 'error',
  title: 'Webhook stops its own pods',
  why: 'once no pod of the webhook is left, the request that would bring one back is refused, since the webhook cannot be called',
  fix: 'leave the namespace of the webhook out: namespaceSelector with kubernetes.io/metadata.name NotIn',
  liveKinds: [{ apiVersion: 'v1', kind: 'Namespace' }],
  *check(context) {
    for (const webhook of context.objects.view(admissionWebhooks)) {
      if (webhook.failurePolicy === 'Fail' && webhook.service) {
        yield* evaluate(context, webhook, webhook.service);
      }
    }
  },
};

/** A request without which no pod of a workload answers behind its Service. */
interface ComingBack {
  readonly group: string;
  readonly resource: string;
  readonly operations: readonly Operation[];
  /** Whose labels the object has: those of a pod, those of the Service, or none. */
  readonly labelled: 'pod' | 'service' | 'none';
}

const comingBack: readonly ComingBack[] = [
  { group: '', resource: 'pods', operations: ['CREATE'], labelled: 'pod' },
  { group: '', resource: 'pods/binding', operations: ['CREATE'], labelled: 'none' },
  { group: '', resource: 'pods/status', operations: ['UPDATE'], labelled: 'pod' },
  {
    group: 'discovery.k8s.io',
    resource: 'endpointslices',
    operations: ['CREATE', 'UPDATE'],
    labelled: 'service',
  },
];

function* evaluate(
  context: RuleContext,
  webhook: AdmissionWebhook,
  called: CalledServiceView,
): Iterable<RawFinding> {
  const asked = comingBack.filter(({ group, resource, operations }) =>
    operations.some((operation) => asksAbout(webhook, { operation, group, resource, namespaced: true })),
  );
  if (asked.length === 0) {
    return;
  }
  const service = context.objects.find('', 'Service', called.namespace, called.name);
  const workloads = workloadsBehind(context.objects, called) ?? [];
  const namespace = knownNamespace(context, called.namespace);
  for (const { resource, labelled } of asked) {
    const [stopped] = labelsOf(labelled, service, workloads).flatMap(({ labels, of }) => {
      const reach = reachOf(webhook, namespace, labels);
      return reach ? [{ reach, of }] : [];
    });
    if (stopped) {
      const known = workloads.length > 0;
      yield finding(webhook, called, resource, stopped, known ? undefined : missing(service, called));
      return;
    }
  }
}

function labelsOf(
  labelled: ComingBack['labelled'],
  service: ManifestObject | undefined,
  workloads: readonly Workload[],
): { readonly labels: Labels | undefined; readonly of?: Workload }[] {
  switch (labelled) {
    case 'none':
      return [{ labels: {} }];
    case 'service':
      // Slices have the labels of their Service: https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/
      return [{ labels: service && Field.of(service).get('metadata', 'labels').labels }];
    case 'pod':
      return workloads.length === 0
        ? [{ labels: undefined }]
        : workloads.map((of) => ({ labels: of.labels, of }));
  }
}

/** Without them, it is not certain that pods in this namespace are those of the webhook. */
function missing(service: ManifestObject | undefined, { namespace, name }: CalledServiceView): string {
  return service
    ? `no workload behind its Service ${nameInWords(name)} is here`
    : `its Service ${nameInWords(namespace)}/${nameInWords(name)} is not here`;
}

function finding(
  webhook: AdmissionWebhook,
  { namespace }: CalledServiceView,
  resource: string,
  { reach, of }: { readonly reach: Reach; readonly of?: Workload },
  lacking: string | undefined,
): RawFinding {
  const whose = of ? `, those of its own ${objectInWords(of.object)} included` : '';
  const doubt = lacking === undefined ? '' : `; ${lacking}, so its pods are not known`;
  return {
    object: webhook.object,
    pointer: webhook.field.get('namespaceSelector').pointer,
    severity: lacking !== undefined || reach.unless.length > 0 ? 'info' : 'error',
    message: `${webhookInWords(webhook)} is called for ${resource} in its own namespace ${nameInWords(namespace)}${whose}${unlessInWords(reach)}${doubt}`,
  };
}
