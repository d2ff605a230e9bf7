import type { KubernetesObject } from '../../core/kubernetes/api';
import type { LabelSelector, Labels } from '../../core/kubernetes/label-selector';
import { selects } from '../../core/kubernetes/label-selector';
import { apiGroupOf } from '../../core/kubernetes/resources';
import { isPlainObject } from '../../core/validation/problems';
import type { PlainObject } from '../../core/validation/problems';
import { heldMinimum, minimumFields, minimumState, placeText, workloadId } from './minimums';
import type { MinimumKind, MinimumPlace, MinimumState, WorkloadKind } from './minimums';

/** A Service, which takes a slot's traffic. */
export interface ServiceName {
  /** Namespace of the Service. */
  readonly namespace: string;
  /** Name of the Service. */
  readonly name: string;
}

/** What of a cluster says which workloads serve, and what scales them. */
export interface ClusterObjects {
  readonly services: readonly KubernetesObject[];
  readonly deployments: readonly KubernetesObject[];
  readonly statefulSets: readonly KubernetesObject[];
  readonly rollouts: readonly KubernetesObject[];
  readonly autoscalers: readonly KubernetesObject[];
  readonly scaledObjects: readonly KubernetesObject[];
  readonly budgets: readonly KubernetesObject[];
}

/** A workload that serves, and what scales it. */
export interface Workload extends MinimumPlace {
  /** The same in every cluster: `deployment/shop/web`. */
  readonly id: string;
  /** Pods that serve now. */
  readonly ready: number;
  /** Labels of its pods. */
  readonly labels: Labels;
  /** How its pods are found. */
  readonly selector: LabelSelector;
  /** What sets the least number of its pods: an autoscaler, or the workload itself. */
  readonly scaler: Scaler;
}

/** An object that sets the least number of pods. */
export interface Scaler extends MinimumPlace {
  readonly object: KubernetesObject;
  readonly state: MinimumState;
  /** The most pods that it makes. @default - as many as its minimum says */
  readonly most?: number;
}

/** What a slot's Services lead to. */
export interface FoundWorkloads {
  /** Each once, in the order of their ids. */
  readonly workloads: readonly Workload[];
  /** Services whose workloads can't be found, and workloads that two scale. */
  readonly problems: readonly string[];
}

/**
 * The Services that the AWS Load Balancer Controller puts into a slot's target groups.
 *
 * @param bindings TargetGroupBindings
 * @see https://kubernetes-sigs.github.io/aws-load-balancer-controller/latest/guide/targetgroupbinding/targetgroupbinding/
 */
export function boundServices(
  bindings: readonly KubernetesObject[],
  targetGroupArns: readonly string[],
): readonly ServiceName[] {
  const names = targetGroupArns.map((arn) => arn.split('/')[1]);
  const found = bindings.flatMap(({ metadata, spec }) => {
    const { targetGroupARN, targetGroupName, serviceRef } = asObject(spec);
    const isBound =
      targetGroupARN === undefined
        ? names.includes(targetGroupName as string)
        : targetGroupArns.includes(targetGroupARN as string);
    const { name } = asObject(serviceRef);
    return isBound && typeof name === 'string' ? [{ namespace: metadata.namespace ?? '', name }] : [];
  });
  return [...new Map(found.map((each) => [`${each.namespace}/${each.name}`, each])).values()];
}

/** The workloads behind Services of one cluster. */
export function findWorkloads(objects: ClusterObjects, services: readonly ServiceName[]): FoundWorkloads {
  const problems: string[] = [];
  const all = scalableIn(objects);
  const found = new Map<string, Candidate>();
  for (const { namespace, name } of services) {
    const service = objects.services.find(
      ({ metadata }) => metadata.namespace === namespace && metadata.name === name,
    );
    const selector = service && serviceSelector(service);
    const behind = all.filter(
      (each) => each.namespace === namespace && selector && selects({ matchLabels: selector }, each.labels),
    );
    behind.forEach((each) => found.set(each.id, each));
    if (!service) {
      problems.push(`there is no Service ${namespace}/${name}`);
    } else if (!selector) {
      problems.push(`Service ${namespace}/${name} has no selector, so that its workloads can't be found`);
    } else if (behind.length === 0) {
      problems.push(
        `no Deployment, StatefulSet or Rollout makes pods with the labels that Service ${namespace}/${name} selects`,
      );
    }
  }
  const workloads = [...found.values()].map((candidate): Workload => {
    const scalers = scalersOf(candidate, objects);
    if (scalers.length > 1) {
      problems.push(
        `${placeText(candidate)} is scaled by ${scalers.map(placeText).join(' and ')}; it takes one of them`,
      );
    }
    const { object, ...rest } = candidate;
    return { ...rest, scaler: scalers[0] ?? scalerOf(object, candidate.kind) };
  });
  return { workloads: workloads.sort((one, other) => (one.id < other.id ? -1 : 1)), problems };
}

type Candidate = Omit<Workload, 'scaler'> & { readonly object: KubernetesObject };

function scalableIn({ deployments, statefulSets, rollouts }: ClusterObjects): readonly Candidate[] {
  const referenced = new Map<string, KubernetesObject>();
  const templates = [
    ...deployments.map((object) => ['Deployment', object] as const),
    ...statefulSets.map((object) => ['StatefulSet', object] as const),
  ];
  // The Rollout makes the pods of a workload that it refers to.
  for (const { metadata, spec } of rollouts) {
    const { kind, name } = asObject(asObject(spec).workloadRef);
    const template = templates.find(
      ([word, { metadata: of }]) => word === kind && of.name === name && of.namespace === metadata.namespace,
    );
    if (template) {
      referenced.set(`${metadata.namespace}/${metadata.name}`, template[1]);
    }
  }
  const taken = new Set(referenced.values());
  const candidates = (objects: readonly KubernetesObject[], kind: WorkloadKind): readonly Candidate[] =>
    objects.filter((object) => !taken.has(object)).map((object) => candidateOf(object, kind, object));
  return [
    ...candidates(deployments, 'deployment'),
    ...candidates(statefulSets, 'statefulset'),
    ...rollouts.map((object) => {
      const { namespace, name } = object.metadata;
      return candidateOf(object, 'rollout', referenced.get(`${namespace}/${name}`) ?? object);
    }),
  ];
}

/** @param template the object that has the pods' template: a Rollout may refer to another one */
function candidateOf(object: KubernetesObject, kind: WorkloadKind, template: KubernetesObject): Candidate {
  const { name, namespace = '' } = object.metadata;
  const { readyReplicas } = asObject(object.status);
  const spec = asObject(template.spec);
  const labels = asObject(asObject(asObject(spec.template).metadata).labels) as Labels;
  const place = { kind, namespace, name };
  return {
    ...place,
    id: workloadId(place),
    ready: typeof readyReplicas === 'number' ? readyReplicas : 0,
    labels,
    selector: isPlainObject(spec.selector) ? spec.selector : { matchLabels: labels },
    object,
  };
}

/**
 * Argo Rollouts narrows its Services down to one ReplicaSet by this label, which no template has.
 * @see https://argo-rollouts.readthedocs.io/en/stable/features/traffic-management/
 */
const revisionLabel = 'rollouts-pod-template-hash';

/** What a Service selects; undefined where its endpoints come from elsewhere. */
function serviceSelector({ spec }: KubernetesObject): Labels | undefined {
  const { [revisionLabel]: _revision, ...selector } = asObject(asObject(spec).selector) as Labels;
  return Object.keys(selector).length > 0 ? selector : undefined;
}

function scalersOf(workload: Candidate, objects: ClusterObjects): readonly Scaler[] {
  const of = (kind: MinimumKind, all: readonly KubernetesObject[]): readonly Scaler[] =>
    all
      .filter(({ metadata, spec }) => {
        // Both leave out what of the reference is the default: apps/v1, and KEDA's kind is Deployment.
        const { apiVersion, kind: word, name } = asObject(asObject(spec).scaleTargetRef);
        const target = minimumFields[workload.kind];
        return (
          metadata.namespace === workload.namespace &&
          name === workload.name &&
          (word ?? (kind === 'scaledobject' ? 'Deployment' : undefined)) === target.kind &&
          (typeof apiVersion !== 'string' || apiGroupOf(apiVersion) === apiGroupOf(target.apiVersion))
        );
      })
      .map((object) => scalerOf(object, kind));
  return [
    ...of(
      'hpa',
      objects.autoscalers.filter((object) => !isOfKeda(object)),
    ),
    ...of('scaledobject', objects.scaledObjects),
  ];
}

/** KEDA makes an HPA for each ScaledObject, owns it, and writes it over. */
function isOfKeda({ metadata }: KubernetesObject): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ apiVersion, kind }) => kind === 'ScaledObject' && apiGroupOf(apiVersion) === 'keda.sh',
  );
}

/** What KEDA takes where a ScaledObject says nothing. */
const mostOfKeda = 100;

function scalerOf(object: KubernetesObject, kind: MinimumKind): Scaler {
  const { name, namespace = '' } = object.metadata;
  const { maxReplicas, maxReplicaCount = mostOfKeda } = asObject(object.spec);
  const most = kind === 'hpa' ? maxReplicas : kind === 'scaledobject' ? maxReplicaCount : undefined;
  return {
    kind,
    namespace,
    name,
    object,
    state: minimumState(object, kind),
    ...(typeof most === 'number' && { most }),
  };
}

/** How many pods it has at most: a workload that nothing scales has as many as it says. */
export function mostPods({ most, state }: Scaler): number {
  return most ?? heldMinimum(state);
}

/** A part of an object that came from outside; nothing where it is no object. */
export function asObject(value: unknown): PlainObject {
  return isPlainObject(value) ? value : {};
}
