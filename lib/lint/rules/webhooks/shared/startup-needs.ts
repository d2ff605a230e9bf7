import { injectionSources } from '../../../../core/certificates/ca-bundles';
import type { ObjectIndex } from '../../../object-index';
import type { RuleContext } from '../../../rule';
import type { AdmissionWebhook } from '../../../views/admission';
import { workloads } from '../../../views/workloads';
import type { KnownNamespace, Workload } from '../../../views/workloads';
import { knownNamespace, reachOf } from './reach';

/** What pods of a webhook may need to come up: a network, volumes, certificates. */
type Support = 'network' | 'storage' | 'certificates';

/** Workloads that give support to others, by what they give: `objects.view(supports)`. */
export function supports(objects: ObjectIndex): ReadonlyMap<Support, readonly Workload[]> {
  const { all } = objects.view(workloads);
  return new Map([
    ['network', all.filter(isNetwork)],
    ['storage', all.filter(isStorage)],
    ['certificates', all.filter(isCertManager)],
  ]);
}

function hostPaths({ volumes }: Workload): string[] {
  return volumes.flatMap((volume) => volume.get('hostPath', 'path').text ?? []);
}

function images({ containers }: Workload): string[] {
  return containers.flatMap(({ field }) => field.get('image').text ?? []);
}

/** A plugin of the pod network puts itself and its settings on the node. @see https://www.cni.dev/docs/spec/ */
function isNetwork(workload: Workload): boolean {
  return hostPaths(workload).some((path) => /^\/(opt|etc)\/cni(\/|$)/.test(path));
}

/**
 * A driver for volumes has its socket on the node; its controller runs beside the sidecars that Kubernetes has for it.
 * @see https://kubernetes-csi.github.io/docs/deploying.html
 */
function isStorage(workload: Workload): boolean {
  return (
    hostPaths(workload).some((path) => path.startsWith('/var/lib/kubelet/plugins')) ||
    images(workload).some((image) =>
      /\/(external-)?csi-(attacher|provisioner|node-driver-registrar)[:@]/.test(image),
    )
  );
}

/** By the images of cert-manager's own chart, or its labels. */
function isCertManager(workload: Workload): boolean {
  const name = workload.labels['app.kubernetes.io/name'];
  return (
    name === 'cert-manager' ||
    name === 'cainjector' ||
    images(workload).some((image) => /\/cert-manager-(controller|cainjector|webhook)([:@]|$)/.test(image))
  );
}

/** What the pods of a workload need that answers for webhooks. */
function supportsOf(workload: Workload, webhooks: readonly AdmissionWebhook[]): Support[] {
  const volumes = ['persistentVolumeClaim', 'csi', 'ephemeral'];
  const hasVolumes = workload.volumes.some((volume) => volumes.some((kind) => volume.get(kind).exists));
  return [
    ...(workload.pod.get('spec', 'hostNetwork').boolean === true ? [] : (['network'] as const)),
    ...(hasVolumes ? (['storage'] as const) : []),
    ...(webhooks.some(trustsCertManager) ? (['certificates'] as const) : []),
  ];
}

/** Whether cert-manager tells the API server whom to trust as the webhook. */
export function trustsCertManager({ annotations }: AdmissionWebhook): boolean {
  return injectionSources(annotations).length > 0;
}

/** A webhook that refuses new pods while it is down, and the workloads that answer for it. */
export interface Gate {
  readonly webhook: AdmissionWebhook;
  readonly servers: readonly Workload[];
}

/** What pods may need to start. */
export type Need =
  | { readonly kind: 'workload'; readonly workload: Workload }
  /** Webhooks with the same selectors. */
  | { readonly kind: 'gates'; readonly gates: readonly Gate[] }
  | { readonly kind: 'support'; readonly support: Support };

/** What needs what to start. */
export interface Needs {
  readonly graph: Graph<Need>;
  /** Of webhooks, and of those that give support. */
  readonly nodes: ReadonlyMap<Workload, Need>;
}

/**
 * What the pods of webhooks, and those that they need, need to start: the webhooks that are called for them, and whatever
 * gives network, volumes and certificates.
 *
 * @param certain whether a webhook counts only where it is certainly called
 */
export function needsOf(context: RuleContext, gates: readonly Gate[], certain: boolean): Needs {
  const graph = new Map<Need, Set<Need>>();
  const add = (from: Need, to: Need): unknown => graph.get(from)!.add(to);
  const nodes = new Map<Workload, Need>();
  const node = (workload: Workload): Need => {
    let need = nodes.get(workload);
    if (!need) {
      nodes.set(workload, (need = { kind: 'workload', workload }));
      graph.set(need, new Set());
    }
    return need;
  };
  const given = addSupports(context, graph, node);
  const servers = webhooksOfServers(gates);
  for (const [server, webhooks] of servers) {
    const need = node(server);
    supportsOf(server, webhooks).forEach((support) => add(need, given.get(support)!));
  }
  const namespaces = namespacesOf(context, nodes.keys(), servers);
  for (const alike of withSameSelectors(gates)) {
    const asked: Need = { kind: 'gates', gates: alike };
    graph.set(asked, new Set(alike.flatMap(({ servers }) => servers).map(node)));
    for (const [workload, need] of nodes) {
      const namespace = namespaces.get(workload);
      const reach = namespace && reachOf(alike[0]!.webhook, namespace, workload.labels);
      if (reach && (!certain || reach.unless.length === 0)) {
        add(need, asked);
      }
    }
  }
  return { graph, nodes };
}

function addSupports(
  { objects }: RuleContext,
  graph: Map<Need, Set<Need>>,
  node: (workload: Workload) => Need,
): ReadonlyMap<Support, Need> {
  return new Map(
    [...objects.view(supports)].map(([support, givers]) => {
      const need: Need = { kind: 'support', support };
      graph.set(need, new Set(givers.map(node)));
      return [support, need];
    }),
  );
}

function webhooksOfServers(gates: readonly Gate[]): ReadonlyMap<Workload, readonly AdmissionWebhook[]> {
  const found = new Map<Workload, AdmissionWebhook[]>();
  for (const { webhook, servers } of gates) {
    for (const server of servers) {
      const webhooks = found.get(server) ?? [];
      found.set(server, webhooks);
      webhooks.push(webhook);
    }
  }
  return found;
}

/** Namespaces of workloads. One that names none is where its Service is; without that, it is not known. */
function namespacesOf(
  context: RuleContext,
  workloads: Iterable<Workload>,
  servers: ReadonlyMap<Workload, readonly AdmissionWebhook[]>,
): ReadonlyMap<Workload, KnownNamespace> {
  return new Map(
    [...workloads].flatMap((workload) => {
      const name = workload.object.namespace ?? servers.get(workload)?.[0]?.service?.namespace;
      return name === undefined ? [] : [[workload, knownNamespace(context, name)] as const];
    }),
  );
}

/** How many times selectors have to be compared with pods. */
export function comparisonsOf({ objects }: RuleContext, gates: readonly Gate[]): number {
  const givers = [...objects.view(supports).values()].flat();
  const pods = new Set([...gates.flatMap(({ servers }) => servers), ...givers]);
  return [...withSameSelectors(gates)].length * pods.size;
}

/** Those with the same selectors and conditions are called for the same pods: they are checked once. */
function withSameSelectors(gates: readonly Gate[]): Iterable<readonly Gate[]> {
  const groups = new Map<string, Gate[]>();
  for (const gate of gates) {
    const { namespaceSelector, objectSelector, matchConditions } = gate.webhook;
    const key = JSON.stringify([
      namespaceSelector,
      objectSelector,
      matchConditions.map(({ expression }) => expression),
    ]);
    const group = groups.get(key) ?? [];
    groups.set(key, group);
    group.push(gate);
  }
  return groups.values();
}

/** A directed graph: what each node leads to. */
type Graph<T> = ReadonlyMap<T, ReadonlySet<T>>;

/**
 * Nodes of a graph in groups: from every node of a group a way leads to every other node of it. Time in proportion to the
 * edges.
 * @see https://en.wikipedia.org/wiki/Kosaraju%27s_algorithm
 */
export function cyclesOf<T>(graph: Graph<T>): readonly ReadonlySet<T>[] {
  const seen = new Set<T>();
  const finished: T[] = [];
  for (const node of graph.keys()) {
    walk(graph, node, seen, (each) => finished.push(each));
  }
  const backwards = reversed(graph);
  const placed = new Set<T>();
  const groups: Set<T>[] = [];
  for (const node of finished.reverse()) {
    const group = new Set<T>();
    walk(backwards, node, placed, (each) => group.add(each));
    if (group.size > 1) {
      groups.push(group);
    }
  }
  return groups;
}

/** Visits what has not been seen, each node after all that it leads to. */
function walk<T>(graph: Graph<T>, start: T, seen: Set<T>, leave: (node: T) => void): void {
  if (seen.has(start)) {
    return;
  }
  seen.add(start);
  const stack = [{ node: start, next: (graph.get(start) ?? new Set<T>()).values() }];
  while (stack.length > 0) {
    const { node, next } = stack.at(-1)!;
    const { value, done } = next.next();
    if (done) {
      leave(node);
      stack.pop();
    } else if (!seen.has(value)) {
      seen.add(value);
      stack.push({ node: value, next: (graph.get(value) ?? new Set<T>()).values() });
    }
  }
}

function reversed<T>(graph: Graph<T>): Graph<T> {
  const backwards = new Map<T, Set<T>>();
  for (const [from, targets] of graph) {
    for (const to of targets) {
      const sources = backwards.get(to) ?? new Set<T>();
      backwards.set(to, sources.add(from));
    }
  }
  return backwards;
}

/** A shortest way from one node to another inside a group, both included. */
export function wayIn<T>(graph: Graph<T>, group: ReadonlySet<T>, from: T, to: T): readonly T[] {
  const cameFrom = new Map<T, T>();
  const queue = [from];
  for (const node of queue) {
    for (const next of graph.get(node) ?? []) {
      if (group.has(next) && next !== from && !cameFrom.has(next)) {
        cameFrom.set(next, node);
        queue.push(next);
      }
    }
    if (cameFrom.has(to)) {
      break;
    }
  }
  const way = [to];
  for (let at = cameFrom.get(to); at !== undefined; at = cameFrom.get(at)) {
    way.unshift(at);
  }
  return way;
}
