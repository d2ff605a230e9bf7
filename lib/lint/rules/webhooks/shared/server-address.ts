import { Field } from '../../../object';
import type { ManifestObject } from '../../../object';
import type { ObjectIndex } from '../../../object-index';
import type { RawFinding, Severity } from '../../../rule';
import type { AdmissionWebhook, CalledServiceView } from '../../../views/admission';
import { caBundleLocations } from '../../../views/trust';
import { workloads } from '../../../views/workloads';
import type { Workload } from '../../../views/workloads';
import { listInWords, nameInWords, objectInWords, valueInWords, webhookInWords } from './format';

/** What makes the API server call a Service: the entry of a webhook configuration, a conversion webhook, an APIService. */
export type ServiceCaller = Pick<AdmissionWebhook, 'object' | 'name' | 'failurePolicy' | 'service'>;

/** View of everything that calls a Service. What is no webhook of admission can't go on without an answer: `Fail`. */
export function callers(objects: ObjectIndex): readonly ServiceCaller[] {
  return objects
    .view(caBundleLocations)
    .filter(({ service }) => service !== undefined)
    .map(
      ({ object, webhook, service }) =>
        webhook ?? { object, name: object.name, failurePolicy: 'Fail', ...(service ? { service } : {}) },
    );
}

/** Labels that name an application. @see https://kubernetes.io/docs/concepts/overview/working-with-objects/common-labels/ */
const nameLabels = ['app.kubernetes.io/name', 'app', 'k8s-app', 'helm.sh/chart'];

/** Workloads and Services by namespace; what names none may be anywhere. */
function byNamespace(objects: ObjectIndex): ReadonlyMap<string | undefined, readonly ManifestObject[]> {
  const found = new Map<string | undefined, ManifestObject[]>();
  const services = objects.ofKind('', 'Service');
  for (const object of [...objects.view(workloads).all.map((workload) => workload.object), ...services]) {
    const same = found.get(object.namespace) ?? [];
    found.set(object.namespace, same);
    same.push(object);
  }
  return found;
}

/**
 * Workloads and Services of a namespace that belong to the same application as another object: by a label that names it,
 * or since the name of one starts with that of the other. Where one of them is among the objects, the rest of the
 * application should be too.
 *
 * @param names of objects of the application
 * @param members objects of the application
 */
function relativesIn(
  objects: ObjectIndex,
  namespace: string,
  names: readonly string[],
  members: readonly ManifestObject[],
): readonly ManifestObject[] {
  const near = objects.view(byNamespace);
  const wanted = new Set(members.flatMap(applicationsOf));
  return [...(near.get(namespace) ?? []), ...(near.get(undefined) ?? [])].filter(
    (object) =>
      applicationsOf(object).some((each) => wanted.has(each)) ||
      names.some((name) => startsAlike(name, object.name)),
  );
}

function applicationsOf(object: ManifestObject): string[] {
  const { labels } = Field.of(object).get('metadata', 'labels');
  return nameLabels
    .filter((key) => Object.hasOwn(labels, key) && labels[key] !== '')
    .map((key) => `${key}=${labels[key]!}`);
}

function startsAlike(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  return short !== '' && (long === short || long.startsWith(`${short}-`));
}

/** Names a Service that is called. */
export function calledInWords({ namespace, name }: CalledServiceView): string {
  return `Service ${nameInWords(namespace)}/${nameInWords(name)}`;
}

/** What a call that always fails is worth. */
function worst(webhooks: readonly ServiceCaller[]): Severity {
  return webhooks.some(({ failurePolicy }) => failurePolicy === 'Fail') ? 'error' : 'warning';
}

/** A Service that is not among the objects: one finding for each configuration that calls it. */
export function* missingService(
  objects: ObjectIndex,
  called: CalledServiceView,
  webhooks: readonly ServiceCaller[],
): Iterable<RawFinding> {
  for (const [object, own] of byObject(webhooks)) {
    const relatives = relativesIn(objects, called.namespace, [called.name], [object]);
    const named = listInWords(relatives.map(objectInWords), 2);
    yield {
      object,
      pointer: own[0]!.service!.field.pointer,
      severity: relatives.length > 0 ? worst(own) : 'info',
      message: `${calledInWords(called)} behind ${listedInWords(own)} is not here${relatives.length > 0 ? `, although ${named} of the same application ${relatives.length > 1 ? 'are' : 'is'}` : ''}`,
      fix:
        relatives.length > 0
          ? 'name the Service that is there, or add it'
          : 'check it together with the Service and its Deployment',
    };
  }
}

/** Ports that are called and that the Service does not have, and those of the Service that no container has. */
export function* evaluatePorts(
  service: ManifestObject,
  workloads: readonly Workload[],
  webhooks: readonly ServiceCaller[],
): Iterable<RawFinding> {
  const spec = Field.of(service).get('spec');
  const ports = spec.get('ports').items;
  if (
    spec.get('type').text === 'ExternalName' ||
    ports.some((each) => each.get('port').number === undefined)
  ) {
    return;
  }
  const numbers = ports.map((each) => each.get('port').number!);
  for (const [object, own] of byObject(webhooks)) {
    const wrong = own.filter(({ service: called }) => !numbers.includes(called!.port));
    const [first] = wrong;
    if (first) {
      yield {
        object,
        pointer: first.service!.field.get('port').pointer,
        severity: worst(wrong),
        message: `${listedInWords(wrong)} calls port ${first.service!.port} of ${objectInWords(service)}, which has ${numbers.length === 0 ? 'no port' : `port ${listInWords(numbers.map(String))}`}`,
        fix: 'call a port that the Service has',
      };
    }
  }
  const called = new Set(webhooks.map((webhook) => webhook.service!.port));
  yield* ports
    .filter((each) => called.has(each.get('port').number!))
    .flatMap((each) => evaluateTarget(service, each.get('targetPort'), workloads, webhooks));
}

/** A port by name has to be one of a container; one by number need not be said there. */
function evaluateTarget(
  service: ManifestObject,
  target: Field,
  workloads: readonly Workload[],
  webhooks: readonly ServiceCaller[],
): RawFinding[] {
  const { text } = target;
  const names = workloads.flatMap(({ containers }) =>
    containers.flatMap(({ field }) =>
      field.get('ports').items.flatMap((each) => each.get('name').text ?? []),
    ),
  );
  if (text === undefined || /^\d+$/.test(text) || workloads.length === 0 || names.includes(text)) {
    return [];
  }
  return [
    {
      object: service,
      pointer: target.pointer,
      severity: worst(webhooks),
      message: `${objectInWords(service)} behind ${listedInWords(webhooks)} leads to a port named ${valueInWords(text)}, and no container of ${listInWords(
        workloads.map(({ object }) => objectInWords(object)),
        2,
      )} has it`,
      fix: 'name a port of the container',
    },
  ];
}

/** A Service that selects no pods of the objects. */
export function* evaluateSelection(
  objects: ObjectIndex,
  service: ManifestObject,
  called: CalledServiceView,
  webhooks: readonly ServiceCaller[],
): Iterable<RawFinding> {
  const selector = Field.of(service).get('spec', 'selector');
  const relatives = relativesIn(
    objects,
    called.namespace,
    [called.name],
    [service, webhooks[0]!.object],
  ).filter(({ kind }) => kind !== 'Service');
  const selective = selector.keys.length > 0;
  const missed = selective && relatives.length > 0;
  const named = listInWords(relatives.map(objectInWords), 2);
  yield {
    object: service,
    pointer: selector.pointer,
    severity: missed ? worst(webhooks) : 'info',
    message: selective
      ? `${objectInWords(service)} behind ${listedInWords(webhooks)} selects ${valueInWords(selector.value)}, and no workload with these labels is here${missed ? `: ${named} has others` : ''}`
      : `${objectInWords(service)} behind ${listedInWords(webhooks)} has no selector, so its pods are not known`,
    fix: missed
      ? 'let the Service select the labels of the pods'
      : 'lint it together with the Deployment behind the Service',
  };
}

/** Names the webhooks of a finding. */
export function listedInWords(webhooks: readonly ServiceCaller[]): string {
  const [first, ...others] = webhooks;
  return `${webhookInWords(first!)}${others.length > 0 ? ` and ${others.length} more` : ''}`;
}

function byObject(webhooks: readonly ServiceCaller[]): Map<ManifestObject, ServiceCaller[]> {
  const found = new Map<ManifestObject, ServiceCaller[]>();
  for (const webhook of webhooks) {
    const own = found.get(webhook.object) ?? [];
    found.set(webhook.object, own);
    own.push(webhook);
  }
  return found;
}
