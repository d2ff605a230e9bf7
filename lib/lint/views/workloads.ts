import { namespaceNameLabel } from '../../core/admission/requests';
import { selects } from '../../core/kubernetes/label-selector';
import type { LabelSelector, Labels } from '../../core/kubernetes/label-selector';
import { Field, groupOf } from '../object';
import type { ManifestObject } from '../object';
import { NamespacedMap } from '../object-index';
import type { ObjectIndex } from '../object-index';

/** What is known of a namespace. */
export interface KnownNamespace {
  /** Name of the namespace. */
  readonly name: string;
  /** Those of its manifest, and the one that the API server sets itself: `kubernetes.io/metadata.name`. */
  readonly labels: Labels;
  /** Whether its manifest is there: else it may have further labels. */
  readonly complete: boolean;
}

/** A namespace by name, as a namespace selector sees it. */
export function namespaceOf(objects: ObjectIndex, name: string): KnownNamespace {
  const manifest = objects.find('', 'Namespace', undefined, name);
  const labels = manifest ? Field.of(manifest).get('metadata', 'labels').labels : {};
  return { name, labels: { ...labels, [namespaceNameLabel]: name }, complete: manifest !== undefined };
}

/** An object that makes pods, or a pod itself. */
export interface Workload {
  /** The object. */
  readonly object: ManifestObject;
  /** The template of its pods (`spec.template`), or the pod: it has `metadata` and `spec`. */
  readonly pod: Field;
  /** Labels of the pods. */
  readonly labels: Labels;
  /** How many pods it wants. @default - not a number of the manifest, as with a DaemonSet or an autoscaler */
  readonly replicas?: number;
  /** The Rollout that runs its pods by `workloadRef`: how many there are is said there. @default - it runs them itself */
  readonly rollout?: ManifestObject;
  /** Init containers first, as they start. */
  readonly containers: readonly Container[];
  /** `spec.volumes` of the pods. */
  readonly volumes: readonly Field[];
}

/** A container of a workload's pods. */
export interface Container {
  /** Its place in the object. */
  readonly field: Field;
  /** Name of the container. */
  readonly name: string;
  /** Whether it is an init container; one with `restartPolicy: Always` runs on beside the others. */
  readonly init: boolean;
}

/** Every workload among the objects. */
export interface Workloads {
  /** Every workload. */
  readonly all: readonly Workload[];
  /** What is known of an object, if it is a workload. */
  of(object: ManifestObject): Workload | undefined;
  /**
   * Workloads whose pods have all of these labels, as a Service selects pods. No labels select nothing: such a Service has
   * its endpoints from elsewhere.
   */
  withLabels(namespace: string | undefined, labels: Labels): readonly Workload[];
}

const template = ['spec', 'template'] as const;

/** Where each kind keeps the template of its pods. */
const kinds: readonly (readonly [group: string, kind: string, pod: readonly string[], scales: boolean])[] = [
  ['apps', 'Deployment', template, true],
  ['apps', 'StatefulSet', template, true],
  ['apps', 'ReplicaSet', template, true],
  ['', 'ReplicationController', template, true],
  ['argoproj.io', 'Rollout', template, true],
  ['apps', 'DaemonSet', template, false],
  ['batch', 'Job', template, false],
  ['batch', 'CronJob', ['spec', 'jobTemplate', 'spec', 'template'], false],
  ['', 'Pod', [], false],
];

/** View of the workloads: `objects.view(workloads)`. */
export function workloads(objects: ObjectIndex): Workloads {
  const rollouts = objects.view(referringRollouts);
  const all = kinds
    .flatMap(([group, kind, pod, scales]) =>
      objects.ofKind(group, kind).map((object) => workloadOf(object, pod, scales)),
    )
    .map((each) => {
      const [rollout] = rollouts.get(each.object.namespace, keyOf(each.object));
      return rollout ? runBy(rollout, each) : each;
    });
  const byObject = new Map(all.map((each) => [each.object, each]));
  const byLabel = new NamespacedMap<Workload>();
  for (const each of all) {
    for (const label of Object.entries(each.labels)) {
      byLabel.add(each.object.namespace, label.join('='), each);
    }
  }
  return {
    all,
    of: (object) => byObject.get(object),
    withLabels: (namespace, labels) => {
      const candidates = Object.entries(labels).map((label) => byLabel.get(namespace, label.join('=')));
      const fewest = candidates.reduce<readonly Workload[] | undefined>(
        (least, each) => (least === undefined || each.length < least.length ? each : least),
        undefined,
      );
      return (fewest ?? []).filter((each) => selects({ matchLabels: labels }, each.labels));
    },
  };
}

function workloadOf(object: ManifestObject, steps: readonly string[], scales: boolean): Workload {
  const pod = Field.of(object).get(...steps);
  const replicas = Field.of(object).get('spec', 'replicas');
  const containersOf = (key: string, init: boolean): Container[] =>
    pod.get('spec', key).items.map((field) => ({ field, name: field.get('name').text ?? '', init }));
  return {
    object,
    pod,
    labels: pod.get('metadata', 'labels').labels,
    ...(scales ? replicasOf(replicas) : {}),
    containers: [...containersOf('initContainers', true), ...containersOf('containers', false)],
    volumes: pod.get('spec', 'volumes').items,
  };
}

/**
 * Rollouts by what their `workloadRef` names: it gives the template, and is scaled to 0 itself, unless `scaleDown` is `never`.
 *
 * @see https://argoproj.github.io/argo-rollouts/migrating/
 */
function referringRollouts(objects: ObjectIndex): NamespacedMap<ManifestObject> {
  const found = new NamespacedMap<ManifestObject>();
  for (const object of objects.ofKind('argoproj.io', 'Rollout')) {
    const reference = Field.of(object).get('spec', 'workloadRef');
    const [apiVersion, kind, name] = ['apiVersion', 'kind', 'name'].map((key) => reference.get(key).text);
    if (kind !== undefined && name !== undefined) {
      found.add(object.namespace, `${groupOf(apiVersion ?? 'apps/v1')}/${kind}/${name}`, object);
    }
  }
  return found;
}

function keyOf({ apiVersion, kind, name }: ManifestObject): string {
  return `${groupOf(apiVersion)}/${kind}/${name}`;
}

function runBy(rollout: ManifestObject, { replicas: _, ...workload }: Workload): Workload {
  return { ...workload, rollout, ...replicasOf(Field.of(rollout).get('spec', 'replicas')) };
}

/** Unset means 1: https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/deployment-v1/ */
function replicasOf(field: Field): { readonly replicas?: number } {
  if (!field.exists) {
    return { replicas: 1 };
  }
  return field.number === undefined ? {} : { replicas: field.number };
}

/**
 * Workloads behind a Service, by its selector. Jobs and pods of hooks end, and serve nothing; pods and ReplicaSets that
 * another workload makes are that one's; a bare Pod, as of a test, counts where nothing else is behind the Service.
 *
 * @returns nothing where the Service is not among the objects
 */
export function workloadsBehind(
  objects: ObjectIndex,
  service: { readonly namespace?: string | undefined; readonly name: string },
): readonly Workload[] | undefined {
  const found = objects.find('', 'Service', service.namespace, service.name);
  if (!found) {
    return undefined;
  }
  const selected = objects
    .view(workloads)
    .withLabels(found.namespace ?? service.namespace, Field.of(found).get('spec', 'selector').labels)
    .filter(({ object }) => !ends(object) && !isMade(objects, object));
  const lasting = selected.filter(({ object }) => object.kind !== 'Pod');
  return lasting.length > 0 ? lasting : selected;
}

/** Runs to its end. A hook may be a Deployment as well: it is there for the time of an installation. */
function ends(object: ManifestObject): boolean {
  return object.kind === 'Job' || object.kind === 'CronJob' || isHook(object);
}

/**
 * Objects that Helm or Argo CD apply at a moment of an installation, tests included.
 *
 * @see https://helm.sh/docs/topics/charts_hooks/
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/
 */
function isHook(object: ManifestObject): boolean {
  const { labels } = Field.of(object).get('metadata', 'annotations');
  const argo = labels['argocd.argoproj.io/hook'];
  return labels['helm.sh/hook'] !== undefined || (argo !== undefined && argo !== 'Sync');
}

/** A dump of a cluster holds what controllers have made, too. */
function isMade(objects: ObjectIndex, object: ManifestObject): boolean {
  return Field.of(object)
    .get('metadata', 'ownerReferences')
    .items.some((owner) => {
      const [apiVersion, kind, name] = ['apiVersion', 'kind', 'name'].map((key) => owner.get(key).text ?? '');
      return (
        owner.get('controller').boolean === true &&
        objects.find(groupOf(apiVersion!), kind!, object.namespace, name!) !== undefined
      );
    });
}

/** Containers of a workload that have the port which a Service's port leads to, as far as they say so. */
export function containersAt(
  service: ManifestObject,
  ports: ReadonlySet<number>,
  { containers }: Workload,
): readonly Container[] {
  const targets = new Set<unknown>(
    Field.of(service)
      .get('spec', 'ports')
      .items.filter((each) => ports.has(each.get('port').number ?? 0))
      .map((each) => (each.get('targetPort').exists ? each.get('targetPort').value : each.get('port').value)),
  );
  return containers.filter(({ field }) =>
    field
      .get('ports')
      .items.some(
        (each) => targets.has(each.get('containerPort').value) || targets.has(each.get('name').text ?? ''),
      ),
  );
}

/** Autoscalers that set a workload's number of pods. */
export function autoscalersOf(
  objects: ObjectIndex,
  { object, rollout = object }: Workload,
): readonly ManifestObject[] {
  return objects.view(autoscalers).get(rollout.namespace, keyOf(rollout));
}

function autoscalers(objects: ObjectIndex): NamespacedMap<ManifestObject> {
  const found = new NamespacedMap<ManifestObject>();
  for (const [group, kind] of [
    ['autoscaling', 'HorizontalPodAutoscaler'],
    ['keda.sh', 'ScaledObject'],
  ] as const) {
    for (const object of objects.ofKind(group, kind)) {
      const target = Field.of(object).get('spec', 'scaleTargetRef');
      // KEDA's default; a HorizontalPodAutoscaler has to say it.
      const apiVersion = target.get('apiVersion').text ?? 'apps/v1';
      const named = target.get('kind').text ?? 'Deployment';
      found.add(object.namespace, `${groupOf(apiVersion)}/${named}/${target.get('name').text ?? ''}`, object);
    }
  }
  return found;
}

/**
 * PodDisruptionBudgets that select a workload's pods: an empty selector selects all of the namespace, none selects nothing.
 * A budget or a workload without a namespace may be in any.
 */
export function budgetsOf(objects: ObjectIndex, workload: Workload): readonly ManifestObject[] {
  const byNamespace = objects.view(budgets);
  const { namespace } = workload.object;
  const near = namespace === undefined ? [...byNamespace.keys()] : [namespace, undefined];
  return near.flatMap((each) => {
    const inNamespace = byNamespace.get(each);
    const candidates = Object.entries(workload.labels).flatMap(
      (label) => inNamespace?.byLabel.get(label.join('=')) ?? [],
    );
    return [...candidates, ...(inNamespace?.others ?? [])]
      .filter(({ selector }) => selects(selector, workload.labels))
      .map(({ object }) => object);
  });
}

interface Budget {
  readonly object: ManifestObject;
  readonly selector: LabelSelector;
}

/** Budgets of a namespace. */
interface Budgets {
  /** By one of the labels that they ask for. */
  readonly byLabel: Map<string, Budget[]>;
  /** Those that ask for none by `matchLabels`. */
  readonly others: Budget[];
}

function budgets(objects: ObjectIndex): Map<string | undefined, Budgets> {
  const found = new Map<string | undefined, Budgets>();
  for (const object of objects.ofKind('policy', 'PodDisruptionBudget')) {
    const selector = Field.of(object).get('spec', 'selector').selector;
    if (selector) {
      const inNamespace = found.get(object.namespace) ?? { byLabel: new Map<string, Budget[]>(), others: [] };
      found.set(object.namespace, inNamespace);
      listFor(inNamespace, selector).push({ object, selector });
    }
  }
  return found;
}

/** By the last label: the first is often one that all objects have in common. */
function listFor({ byLabel, others }: Budgets, { matchLabels = {} }: LabelSelector): Budget[] {
  const label = Object.entries(matchLabels).at(-1)?.join('=');
  if (label === undefined) {
    return others;
  }
  const list = byLabel.get(label) ?? [];
  byLabel.set(label, list);
  return list;
}
