import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { App, Chart, JsonPatch } from 'cdk8s';
import { ApplicationSet, AppProject, ClusterSecret, Repository } from '../../../lib/manifests/argocd';
import type { Addon, AddonDestination, ArgoAddonOptions, HelmAddonOptions } from '../../../lib/pulumi/addons';
import { argoAddons, HelmAddon } from '../../../lib/pulumi/addons';
import { manifestYaml } from '../../../lib/pulumi/bridge';
import { standbyApplicationSet } from '../../../lib/pulumi/hubs';
import { programPath } from '../tools/go-tools';
import { helmPath } from '../tools/other-tools';
import type { ArgoCd } from './argo-cd';
import { argoCd } from './argo-cd';
import type { BenchChart } from './chart-repository';
import { chartRegistry, chartRepository } from './chart-repository';
import { onCleanUp } from './clean-up';
import type { ControlPlane } from './control-plane';
import { controlPlane } from './control-plane';
import { objectsIn } from './crds';
import { credentialProgram } from './credential-program';
import { helmEnvironment } from './helm-plugins';
import type { KubernetesObject, ObjectRef } from './kubernetes-api';
import { temporaryFolder } from './temporary';

const lines = (...text: string[]) => `${text.join('\n')}\n`;

/** The kind that the chart `operator` defines. */
export const gadgetKind = { apiVersion: 'example.com/v1', kind: 'Gadget' };

/** Pods that start once a node has the label of the value `start`. */
const deployment = lines(
  'apiVersion: apps/v1',
  'kind: Deployment',
  'metadata: { name: {{ .Release.Name }}, labels: { color: {{ .Values.color | default "none" }} } }',
  'spec:',
  '  replicas: 2',
  '  selector: { matchLabels: { app: {{ .Release.Name }} } }',
  '  template:',
  '    metadata: { labels: { app: {{ .Release.Name }} } }',
  '    spec:',
  '      {{- with .Values.start }}',
  '      nodeSelector: { start: {{ . }} }',
  '      {{- end }}',
  '      containers: [{ name: main, image: registry.example.com/main:1 }]',
);

const definition = lines(
  'apiVersion: apiextensions.k8s.io/v1',
  'kind: CustomResourceDefinition',
  'metadata:',
  '  name: gadgets.example.com',
  '  annotations: { helm.sh/resource-policy: keep }',
  'spec:',
  '  group: example.com',
  '  scope: Namespaced',
  '  names: { kind: Gadget, plural: gadgets, singular: gadget }',
  '  versions:',
  '    - name: v1',
  '      served: true',
  '      storage: true',
  '      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }',
);

const gadget = lines(
  'apiVersion: example.com/v1',
  'kind: Gadget',
  'metadata: { name: {{ .Release.Name }} }',
  'spec: { color: {{ .Values.color | default "none" }} }',
);

const charts: readonly BenchChart[] = [
  {
    name: 'operator',
    version: '1.0.0',
    templates: { 'definition.yaml': definition, 'main.yaml': deployment },
  },
  { name: 'gadget', version: '1.0.0', templates: { 'gadget.yaml': gadget } },
  { name: 'plain', version: '1.0.0', templates: { 'main.yaml': deployment } },
];

/** How a hub delivers a list. */
interface DeliverOptions extends ArgoAddonOptions {
  /** Whether it only compares. @default false */
  readonly standby?: boolean;
}

/** A cluster with Argo CD, Helm, and a repository of charts. */
export class AddonsWorld {
  private constructor(
    public readonly plane: ControlPlane,
    public readonly argo: ArgoCd,
    public readonly repository: string,
    /** Address of an OCI registry with the same charts. */
    public readonly registry: string,
  ) {}

  public static async start(): Promise<AddonsWorld> {
    const before = { ...process.env };
    Object.assign(process.env, helmEnvironment(), {
      // Argo CD runs what is called `helm`: its own images have Helm 3.
      PATH: `${dirname(programPath('helm'))}:${process.env.PATH}`,
      ARGOCD_APPLICATIONSET_CONTROLLER_ENABLE_PROGRESSIVE_SYNCS: 'true',
    });
    onCleanUp(() => void Object.assign(process.env, before));
    const repository = await chartRepository(charts);
    const registry = await chartRegistry(charts);
    const plane = await controlPlane({ name: 'apps-blue' });
    const argo = await argoCd(plane);
    const chart = new Chart(new App(), 'cluster');
    new ClusterSecret(chart, 'blue', {
      name: 'apps-blue',
      server: plane.server,
      config: {
        execProviderConfig: { command: await credentialProgram(plane, 'argocd-hub') },
        tlsClientConfig: { caData: Buffer.from(plane.certificateAuthority).toString('base64') },
      },
    });
    await plane.apply(objectsIn(manifestYaml(chart)));
    return new AddonsWorld(plane, argo, repository, registry);
  }

  /** An add-on from one of the charts, in a namespace of its own. */
  public addon(name: string, over: Partial<HelmAddonOptions> = {}): HelmAddon {
    return new HelmAddon({
      name,
      chart: 'plain',
      repository: this.repository,
      version: '1.0.0',
      namespace: name,
      ...over,
    });
  }

  /** The cluster as a slot's add-ons know it. */
  public destination(addons: readonly Addon[]): AddonDestination {
    return {
      name: 'apps-blue',
      slot: 'blue',
      autoMode: false,
      clusterName: 'apps-blue',
      clusterArn: 'arn:aws:eks:eu-west-1:123456789012:cluster/apps-blue',
      region: 'eu-west-1',
      vpcId: 'vpc-1',
      addons,
    };
  }

  /** What a hub does with a list of add-ons of a fleet, the second time with another list as well. */
  public async deliver(fleet: string, addons: readonly Addon[], options: DeliverOptions = {}): Promise<void> {
    const { standby: _, ...own } = options;
    const delivered = argoAddons(fleet, [this.destination(addons)], (value) => value, own);
    const set = { apiVersion: 'argoproj.io/v1alpha1', kind: 'ApplicationSet' };
    if (!delivered) {
      // The project stays.
      await this.plane.api.delete({ ...set, metadata: { name: `${fleet}-addons`, namespace: 'argocd' } });
      return;
    }
    const chart = new Chart(new App(), 'addons');
    new AppProject(chart, 'project', { ...delivered.project, namespace: 'argocd' });
    const wanted = { ...delivered.applicationSet, namespace: 'argocd' };
    new ApplicationSet(chart, 'set', options.standby === true ? standbyApplicationSet(wanted) : wanted);
    delivered.repositories.forEach((each) => {
      const { apiObject } = new Repository(chart, each.name, { ...each, namespace: 'argocd' });
      // No registry of the world has a certificate that nobody knows.
      apiObject.addJsonPatch(JsonPatch.add('/stringData/insecure', 'true'));
    });
    await this.plane.apply(objectsIn(manifestYaml(chart)));
  }

  /** Helm, as a release of Pulumi runs it. */
  public async helm(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(helmPath(), args, {
      env: { ...process.env, KUBECONFIG: this.plane.kubeconfigFile },
    });
    return stdout;
  }

  /** Arguments that install an add-on as Pulumi does. */
  public arguments(addon: HelmAddon): string[] {
    const { chart, releaseName, namespace, values } = addon.release(this.destination([]));
    const file = join(temporaryFolder('values'), 'values.json');
    writeFileSync(file, JSON.stringify(values));
    return [
      ...[releaseName, chart.chart, '--repo', chart.repository!, '--version', chart.version],
      ...['--namespace', namespace, '--create-namespace', '--values', file, '--wait', '--timeout', '60s'],
    ];
  }

  public async find(reference: ObjectRef): Promise<KubernetesObject | undefined> {
    return this.plane.api.find(reference);
  }

  /** Kind, name and UID of everything that an add-on runs. */
  public async running(namespace: string): Promise<readonly string[]> {
    const kinds = [
      ['apps/v1', 'Deployment'],
      ['apps/v1', 'ReplicaSet'],
      ['v1', 'Pod'],
    ] as const;
    const found = await Promise.all(
      kinds.map(([apiVersion, kind]) => this.plane.api.list(apiVersion, kind, { namespace })),
    );
    return found
      .flatMap((objects, index) =>
        objects.map(({ metadata }) => `${kinds[index]![1]} ${metadata.name} ${metadata.uid}`),
      )
      .sort();
  }

  /** Names of Helm's records in a namespace. */
  public async records(namespace: string): Promise<readonly string[]> {
    const secrets = await this.plane.api.list('v1', 'Secret', { namespace, labelSelector: 'owner=helm' });
    return secrets.map(({ metadata }) => metadata.name);
  }

  public async applications(): Promise<readonly string[]> {
    const found = await this.plane.api.list('argoproj.io/v1alpha1', 'Application', { namespace: 'argocd' });
    return found.map(({ metadata }) => metadata.name).sort();
  }
}
