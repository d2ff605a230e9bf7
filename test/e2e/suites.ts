import type { ProviderName } from './bench/plugin-choice';
import type { CrdName } from './tools/crds';

/** A part of the end-to-end suite: the file `NAME.e2e.ts` beside this one. */
export interface Suite {
  /** What it shows, for the listing. */
  readonly shows: string;
  /** Go tools that it drives. */
  readonly tools: readonly string[];
  /** Other programs that it needs. */
  readonly needs: readonly ('moto' | 'redis' | 'kubectl' | 'chromium' | 'charts')[];
  /** Software whose custom resource definitions it installs. @default [] */
  readonly definitions?: readonly CrdName[];
  /** Whether it runs only with `--nightly`, or by its name: it takes long, or its tools take long to build. @default false */
  readonly nightly?: boolean;
  /** Whether it takes several minutes: such parts begin first, since the last one would run alone. @default false */
  readonly long?: boolean;
  /**
   * Providers of Pulumi's own that it can't do without, in the folder `CLUSTER_CANARY_E2E_PLUGINS`; it runs only by its name.
   * @default []
   */
  readonly providers?: readonly ProviderName[];
  /** Whether it is only for the suite's own tests. @default false */
  readonly internal?: boolean;
}

const controlPlane = ['etcd', 'kubernetes', 'kwok'];

/** The parts by name, in the order in which they begin, but that long ones begin first. */
export const suites: Readonly<Record<string, Suite>> = {
  tools: {
    shows: 'two runs at once that provide the same tool; the providers that Pulumi is led to',
    tools: [],
    needs: ['kubectl'],
  },
  reference: {
    shows: 'the API reference: every type that a public name refers to, and links that lead somewhere',
    tools: [],
    needs: [],
  },
  slow: {
    shows:
      'commands as processes, programs, hostile texts, what takes a compiler or many tries: `*.slow.ts` below test/',
    tools: [],
    needs: [],
  },
  bench: {
    shows: 'the bench itself: control planes, restarts, webhooks, no process left behind',
    tools: controlPlane,
    needs: ['kubectl'],
  },
  manifests: {
    shows: 'a real API server accepts every object of the examples',
    tools: controlPlane,
    needs: [],
    definitions: ['cert-manager', 'argo-cd'],
  },
  webhooks: {
    shows: 'whom a webhook of each intent refuses while its server is down, and the injected CA',
    tools: [...controlPlane, 'cert-manager'],
    needs: [],
    definitions: ['cert-manager'],
  },
  harden: {
    shows: 'a hardened chart through renewals: what is injected is the authority, and no pod is refused',
    tools: [...controlPlane, 'cert-manager'],
    needs: [],
    definitions: ['cert-manager'],
  },
  doctor: {
    shows:
      'clocks measured by heartbeats of kubelets whose clocks are off; nodes that wait for a right clock',
    tools: controlPlane,
    needs: [],
  },
  'doctor-github': {
    shows:
      "the doctor about GitHub Apps: a stand-in for GitHub's API, logs of repo-servers, nodes with clocks of their own",
    tools: controlPlane,
    needs: [],
  },
  'doctor-sync': {
    shows:
      'the doctor about Applications that fail for real, and plugins: the environment that they have, a run',
    tools: [...controlPlane, 'argocd'],
    needs: ['redis'],
    definitions: ['argo-cd'],
  },
  'doctor-webhooks': {
    shows:
      'the doctor about webhooks and clusters: its causes beside what API servers say of the same faults',
    tools: controlPlane,
    needs: [],
  },
  policies: {
    shows:
      'policies that the API server evaluates by itself; conversion and an aggregated API behind an injected CA',
    tools: [...controlPlane, 'cert-manager'],
    needs: [],
    definitions: ['cert-manager'],
  },
  outage: {
    shows: 'pods refused while a chart that renders new certificates is ahead of its pods',
    tools: controlPlane,
    needs: [],
  },
  'ca-rotation': {
    shows: 'renewals and a rotation of a certificate authority with two API servers: no pod is refused',
    tools: [...controlPlane, 'cert-manager'],
    needs: [],
    definitions: ['cert-manager'],
  },
  'ca-rotation-up': {
    shows: 'a CA rotation by pulumi up, a phase each: what the gate said ends an up that comes too soon',
    tools: [...controlPlane, 'cert-manager', 'pulumi'],
    needs: ['moto'],
    definitions: ['cert-manager'],
    nightly: true,
  },
  engine: {
    shows: 'the fleet on the real Pulumi engine: up, change, destroy; wrong programs change nothing',
    tools: [...controlPlane, 'pulumi'],
    needs: ['moto'],
    long: true,
  },
  'engine-refusals': {
    shows:
      'what is refused in previews, in updates and by hooks of the real Pulumi engine, under live traffic and not',
    tools: [...controlPlane, 'pulumi'],
    needs: ['moto'],
    nightly: true,
  },
  'real-fleet': {
    shows: "the fleet with its charts, by Pulumi's own Kubernetes provider: up, again, refresh, destroy",
    tools: [...controlPlane, 'pulumi'],
    needs: ['moto', 'kubectl', 'charts'],
    providers: ['kubernetes'],
  },
  policy: {
    shows:
      'the rules as a Pulumi policy pack: what is refused before it is made, and what is not checked yet',
    tools: [...controlPlane, 'pulumi'],
    needs: [],
  },
  helmfile: {
    shows: 'a helmfile that Pulumi plans, applies and destroys: failing charts, secrets, interrupts',
    tools: [...controlPlane, 'pulumi', 'helmfile'],
    needs: ['kubectl'],
    nightly: true,
  },
  'helmfile-plugin': {
    shows: 'Argo CD renders a helmfile by the plugin: what goes wrong deletes nothing',
    tools: [...controlPlane, 'argocd', 'helmfile'],
    needs: ['kubectl', 'redis'],
    definitions: ['argo-cd'],
    nightly: true,
  },
  stacks: {
    shows: 'the same fleet as stacks of their own, joined by references; preview equals what is registered',
    tools: [...controlPlane, 'pulumi'],
    needs: ['moto'],
  },
  shift: {
    shows:
      'a traffic shift inside pulumi up: hooks, kills, foreign writers, interrupts, imports, replacements',
    tools: ['pulumi'],
    needs: ['moto'],
    long: true,
  },
  swap: {
    shows: 'a swap from one version to the next, of the example of the talk, killed on the way',
    tools: [...controlPlane, 'pulumi', 'argocd'],
    needs: ['moto', 'redis'],
    definitions: ['cert-manager', 'argo-cd'],
    long: true,
  },
  'swap-kills': {
    shows: 'two swaps in a row from one file, and the same killed at least 40 times: the same end',
    tools: [...controlPlane, 'pulumi', 'argocd'],
    needs: ['moto', 'redis'],
    definitions: ['cert-manager', 'argo-cd'],
    nightly: true,
  },
  'swap-waves': {
    shows: 'two fleets of one stack in waves: one has its version, the other one is killed, and goes on',
    tools: [...controlPlane, 'pulumi', 'argocd'],
    needs: ['moto', 'redis'],
    definitions: ['cert-manager', 'argo-cd'],
    nightly: true,
  },
  'swap-endings': {
    shows:
      'swaps that do not run through: checks that fail, people who answer, refuse, change the fleet, or go back',
    tools: [...controlPlane, 'pulumi', 'argocd'],
    needs: ['moto', 'redis'],
    definitions: ['cert-manager', 'argo-cd'],
    nightly: true,
  },
  'swap-back': {
    shows:
      'the way back of a swap that has drained the old cluster: its objects, Argo CD and labels come back',
    tools: [...controlPlane, 'pulumi', 'argocd'],
    needs: ['moto', 'redis'],
    definitions: ['cert-manager', 'argo-cd'],
    nightly: true,
  },
  'swap-operator': {
    shows:
      'a swap of a program that leaves the shift to others: the swap runs it by its plan, on after a kill, back at once',
    tools: [...controlPlane, 'pulumi', 'argocd'],
    needs: ['moto', 'redis'],
    definitions: ['cert-manager', 'argo-cd'],
    nightly: true,
  },
  'pull-requests': {
    shows: 'a whole swap by pull requests on a Git server, which a pipeline deploys; GitHub is stood in for',
    tools: [],
    needs: ['moto'],
  },
  'swap-git': {
    shows:
      'a swap by pull requests: what people, main, GitHub and the pipeline can do meanwhile; killed and run again',
    tools: [],
    needs: ['moto'],
    nightly: true,
  },
  'swap-pipeline': {
    shows: "the talk's example swapped by pull requests: a pipeline runs pulumi up of what is merged",
    tools: [...controlPlane, 'pulumi', 'argocd'],
    needs: ['moto', 'redis'],
    definitions: ['cert-manager', 'argo-cd'],
    nightly: true,
  },
  'swap-hub': {
    shows:
      "a swap of Argo CD's cluster: a handover that is killed at each moment, the way back, the old hub's end",
    tools: [...controlPlane, 'pulumi', 'argocd'],
    needs: ['moto', 'redis'],
    definitions: ['cert-manager', 'argo-cd'],
    nightly: true,
  },
  previews: {
    shows:
      'previews of slots under pulumi up: requests by a header, a shift, evacuation, removal beside them',
    tools: ['pulumi'],
    needs: ['moto'],
  },
  routers: {
    shows: 'weights and leases on AWS calls: what is kept, throttling, missing rights, lost answers',
    tools: [],
    needs: ['moto'],
  },
  clusterset: {
    shows:
      'cluster Secrets in step with EKS: pages, accounts, throttling, foreign Secrets, nothing written twice',
    tools: controlPlane,
    needs: ['moto'],
    long: true,
  },
  'readiness-eks': {
    shows: 'cluster-canary ready about an EKS cluster: insights, versions, add-ons, quotas, missing rights',
    tools: [],
    needs: ['moto'],
  },
  'shift-kills': {
    shows: 'a traffic shift that is killed or interrupted at any point, and the run that goes on',
    tools: ['pulumi'],
    needs: ['moto'],
    long: true,
  },
  'shift-routers': {
    shows:
      'listeners of an NLB and Route 53 records that shift under pulumi up: several resources, one shift',
    tools: ['pulumi'],
    needs: ['moto'],
    nightly: true,
  },
  'shift-command': {
    shows: 'cluster-canary shift: killed at any point and run again, two at once, a dry run',
    tools: [],
    needs: ['moto'],
    long: true,
  },
  capacity: {
    shows: 'a shift between clusters with the real HPA controller, whose load follows the weights',
    tools: controlPlane,
    needs: ['moto'],
  },
  'capacity-kills': {
    shows: 'minimums that a shift raised: given back after every kill, held until a late rollback',
    tools: controlPlane,
    needs: ['moto'],
    nightly: true,
  },
  'capacity-argo-cd': {
    shows: 'minimums that a shift raises beside Argo CD with self-heal',
    tools: [...controlPlane, 'argocd'],
    needs: ['moto', 'redis'],
    definitions: ['argo-cd'],
    nightly: true,
  },
  vitals: {
    shows:
      'a shift into a cluster that is ill: DNS, addresses, webhooks, images, nodes; and into one that is not',
    tools: controlPlane,
    needs: ['moto'],
  },
  evacuate: {
    shows: 'a slot is evacuated while pulumi up shifts: the shift ends, the next up explains itself',
    tools: ['pulumi'],
    needs: ['moto'],
  },
  'evacuate-kills': {
    shows: 'an evacuation that is killed after any call, alone and beside a shift, and run again',
    tools: [],
    needs: ['moto'],
    nightly: true,
  },
  drain: {
    shows:
      'a slot is emptied before it goes: by the command and by pulumi, with a live and a dead API server',
    tools: [...controlPlane, 'pulumi'],
    needs: ['moto'],
    long: true,
  },
  gitops: {
    shows:
      'Argo CD deploys to a second cluster what an ApplicationSet says, and waits for a shift with a window',
    tools: [...controlPlane, 'argocd'],
    needs: ['redis'],
    definitions: ['argo-cd'],
  },
  addons: {
    shows:
      'add-ons by Argo CD, Helm and helmfile: order, the way from one to another and back, what stays and what goes',
    tools: [...controlPlane, 'argocd', 'helm3', 'helmfile', 'pulumi'],
    needs: ['kubectl', 'redis'],
    definitions: ['argo-cd'],
    nightly: true,
  },
  handover: {
    shows: 'one hub takes over from another: never two that write, nothing pruned, whoever is killed or gone',
    tools: [...controlPlane, 'argocd', 'pulumi'],
    needs: ['moto', 'redis'],
    definitions: ['argo-cd'],
    long: true,
  },
  checks: {
    shows:
      'the Kubernetes client and the checks that use it: pods, and Applications as Argo CD evaluates them',
    tools: [...controlPlane, 'argocd'],
    needs: ['redis'],
    definitions: ['argo-cd'],
  },
  readiness: {
    shows:
      'what stands in the way of a Kubernetes upgrade: objects, clients, definitions, releases, pods of two clusters',
    tools: controlPlane,
    needs: ['moto'],
  },
  'checks-acting': {
    shows:
      'checks that act: Jobs and requests stop a shift before its first percent; the Job of a run that was killed',
    tools: controlPlane,
    needs: ['moto'],
  },
  workflows: {
    shows: 'a shift as an Argo Workflow: waves, pauses, retries, what is taken back, windows',
    tools: [...controlPlane, 'argo-workflows'],
    needs: [],
    definitions: ['argo-workflows'],
  },
  retries: {
    shows:
      'pods refused for 90 s: a workflow with the default retries outlasts it, the official example fails',
    tools: [...controlPlane, 'argo-workflows'],
    needs: [],
    definitions: ['argo-workflows'],
    nightly: true,
  },
  controllers: {
    shows: 'Argo Rollouts, Workflows, Events and Notifications, and Flagger do their work',
    tools: [
      ...controlPlane,
      ...['argo-rollouts', 'argo-workflows', 'argo-events', 'nats-server', 'flagger', 'argocd'],
    ],
    needs: ['redis', 'kubectl'],
    definitions: ['argo-rollouts', 'argo-workflows', 'argo-events', 'flagger', 'argo-cd'],
    nightly: true,
  },
  flagger: {
    shows:
      'Canaries under the real Flagger: weights, mirrors, cookies, blue/green; good and bad versions; deletion',
    tools: [...controlPlane, 'flagger'],
    needs: ['kubectl'],
    definitions: ['flagger', 'gateway-api', 'argo-rollouts'],
    nightly: true,
  },
  canaries: {
    shows:
      'Rollouts evaluated by checks of a shift: promoted, taken back or waiting; every kind of check measured by Argo Rollouts',
    tools: [...controlPlane, 'argo-rollouts'],
    needs: [],
    definitions: ['argo-rollouts'],
    nightly: true,
  },
  restarter: {
    shows: 'stuck Rollouts are restarted, broken ones are not; who may make which Job; requests with a token',
    tools: [...controlPlane, 'argo-rollouts', 'argo-events', 'nats-server'],
    needs: [],
    definitions: ['argo-rollouts', 'argo-events'],
    nightly: true,
  },
  'workflow-alerts': {
    shows: 'events of workflows that are posted by Argo Events: a refused pod, a failed workflow',
    tools: [...controlPlane, 'argo-workflows', 'argo-events', 'nats-server'],
    needs: [],
    definitions: ['argo-workflows', 'argo-events'],
    nightly: true,
  },
  clustersets: {
    shows: 'cluster Secrets in step with 1,000 clusters in ten accounts and regions',
    tools: controlPlane,
    needs: ['moto'],
    nightly: true,
  },
  handovers: {
    shows: 'twenty handovers between hubs, and an engine that is killed at each phase of one',
    tools: [...controlPlane, 'argocd', 'pulumi'],
    needs: ['moto', 'redis'],
    definitions: ['argo-cd'],
    nightly: true,
  },
  demo: {
    shows: 'the demo with each fault; a contender at the same proxy: requests to a broken slot, one by one',
    tools: [],
    needs: [],
    nightly: true,
  },
  notifications: {
    shows:
      'events of a shift in SNS, EventBridge, Kubernetes Events and a tag, with the least rights; a sink that fails',
    tools: controlPlane,
    needs: ['moto'],
    nightly: true,
  },
  metrics: {
    shows:
      'a shift in Prometheus, its Pushgateway and an OpenTelemetry Collector; each query of the dashboard',
    tools: ['prometheus', 'pushgateway', 'opentelemetry-collector'],
    needs: [],
    nightly: true,
  },
  'live-page': {
    shows:
      'the page of a running shift in Chromium: a pause, a hold, the way back; keys alone, no JavaScript, axe',
    tools: [],
    needs: ['chromium'],
    nightly: true,
  },
  properties: {
    shows: 'properties and simulations with all of their runs, of which `npm test` has a tenth',
    tools: [],
    needs: [],
    nightly: true,
  },
  pages: {
    shows: 'the report of a shift, the documents and the API reference in Chromium, evaluated by axe',
    tools: [],
    needs: ['chromium'],
    nightly: true,
  },
  endless: {
    shows: 'starts processes and waits to be killed',
    tools: controlPlane,
    needs: [],
    internal: true,
  },
};

/** The parts that run where none is named; the nightly ones instead with `--nightly`. */
export function partsByDefault(nightly: boolean): string[] {
  return partsWhere((suite) => !needsProviders(suite) && (suite.nightly ?? false) === nightly);
}

/** The parts that run only where they are named. */
export function partsByName(): string[] {
  return partsWhere(needsProviders);
}

function partsWhere(accepts: (suite: Suite) => boolean): string[] {
  return Object.keys(suites).filter((name) => suites[name]!.internal !== true && accepts(suites[name]!));
}

function needsProviders({ providers = [] }: Suite): boolean {
  return providers.length > 0;
}
