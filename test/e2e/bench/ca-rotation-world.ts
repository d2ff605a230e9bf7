import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Chart, Testing } from 'cdk8s';
import { caRotationCommand } from '../../../lib/cli/commands/ca-rotation';
import type { CaRotationProps } from '../../../lib/manifests/certificates';
import { CertificateAuthority, WebhookCertificate } from '../../../lib/manifests/certificates';
import { MutatingWebhook } from '../../../lib/manifests/webhooks';
import type { CommandResult } from './captured-command';
import { captured } from './captured-command';
import type { ControlPlane } from './control-plane';
import { eventually } from './eventually';
import type { KubernetesObject, ObjectRef } from './kubernetes-api';

export const service = { name: 'gate', namespace: 'gate-system' };
export const optIn = { 'example.com/gate': 'enabled' };
const configurationName = 'gate.pods.example.com';

/** What Git says at one moment. */
export interface Commit {
  readonly generation: number;
  readonly phase?: CaRotationProps['phase'];
  /** @default '2s' - an hour, in short */
  readonly settle?: string;
  /** @default '20s' - ten minutes, in short */
  readonly wait?: string;
}

/** The library's objects for a webhook that pods can't do without. */
export function manifests(commit: Commit): KubernetesObject[] {
  return Testing.synth(chartOf(commit));
}

/** The same as constructs. */
export function chartOf({ generation, phase, settle = '2s', wait = '20s' }: Commit): Chart {
  const chart = new Chart(new App(), 'gate');
  const authority = new CertificateAuthority(chart, 'authority', {
    ...{ name: 'gates', namespace: service.namespace, generation },
    ...(phase === undefined
      ? {}
      : {
          rotation: {
            phase,
            image: `registry.example.com/cluster-canary@sha256:${'0'.repeat(64)}`,
            services: [service],
            injectedInto: [{ kind: 'MutatingWebhookConfiguration', name: configurationName }],
            settle,
            wait,
          },
        }),
  });
  const certificate = new WebhookCertificate(chart, 'certificate', { service, authority });
  new MutatingWebhook(chart, 'webhook', {
    ...{ name: configurationName, intent: 'required', optIn, service, certificate },
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
  });
  return chart;
}

/** The webhook configuration. */
export const configuration: ObjectRef = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: { name: configurationName },
};

/** What a Job's container ended with. */
export interface JobRun extends CommandResult {
  /** Its termination message. */
  readonly message: string;
}

const waveOf = ({ metadata }: KubernetesObject) =>
  Number(metadata.annotations?.['argocd.argoproj.io/sync-wave'] ?? 0);

/** Applies manifests as Argo CD does, by waves, and runs their Jobs as their service accounts. */
export class RekeyWorld {
  private applied: KubernetesObject[] = [];

  public constructor(private readonly plane: ControlPlane) {}

  /** @returns what the Jobs said, in their order */
  public async deploy(commit: Commit): Promise<JobRun[]> {
    const objects = manifests(commit);
    const results: JobRun[] = [];
    for (const wave of [...new Set(objects.map(waveOf))].sort((one, other) => one - other)) {
      const now = objects.filter((each) => waveOf(each) === wave);
      const jobs = now.filter(({ kind }) => kind === 'Job');
      await this.plane.apply(now.filter(({ kind }) => kind !== 'Job'));
      await this.healthy(now);
      for (const job of jobs) {
        await this.plane.api.apply(job, { dryRun: true });
        const result = await this.run(job);
        results.push(result);
        if (result.status !== 0) {
          return results;
        }
      }
    }
    await this.prune(objects);
    return results;
  }

  /** Runs a Job's arguments as its service account, with the files that its pod would mount. */
  public async run({ metadata, spec }: KubernetesObject): Promise<JobRun> {
    const { serviceAccountName, containers, volumes } = spec.template.spec;
    const folder = join(this.plane.folder, metadata.name);
    mkdirSync(folder, { recursive: true });
    for (const { secret } of volumes[0].projected.sources) {
      const { name, items } = secret;
      const { namespace } = metadata;
      const { data } = await this.plane.api.get({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace },
      });
      for (const { key, path } of items) {
        writeFileSync(join(folder, path), Buffer.from(data[key], 'base64'));
      }
    }
    const [{ args, terminationMessagePath, volumeMounts }] = containers;
    const message = join(folder, 'message');
    const places: Record<string, string> = {
      [volumeMounts[0].mountPath]: folder,
      [terminationMessagePath]: message,
    };
    const user = `system:serviceaccount:${metadata.namespace}:${serviceAccountName}`;
    const result = await rotation(
      args.slice(1).map((each: string) => places[each] ?? each),
      await this.plane.kubeconfigFor(user, ['system:serviceaccounts', 'system:authenticated']),
    );
    return { ...result, message: readFileSync(message, 'utf8') };
  }

  /** cert-manager issues a certificate again, as it does at the end of the old one. `cmctl renew` does it so. */
  public async renew(name: string): Promise<void> {
    const certificate = {
      apiVersion: 'cert-manager.io/v1',
      kind: 'Certificate',
      metadata: { name, namespace: service.namespace },
    };
    const before = await this.secret(name);
    const { status, metadata } = await this.plane.api.get(certificate);
    const issuing = {
      type: 'Issuing',
      status: 'True',
      reason: 'ManuallyTriggered',
      message: 'renewed by a test',
      lastTransitionTime: new Date().toISOString(),
      observedGeneration: metadata['generation'],
    };
    const conditions = [...status.conditions.filter(({ type }: any) => type !== 'Issuing'), issuing];
    await this.plane.api.patch(certificate, { status: { conditions } }, { subresource: 'status' });
    await eventually(`${name} renewed`, async () => (await this.secret(name)) !== before);
  }

  /** The certificate in a Secret, PEM. */
  public async secret(name: string): Promise<string> {
    const { namespace } = service;
    const { data } = await this.plane.api.get({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace },
    });
    return Buffer.from(data['tls.crt'], 'base64').toString();
  }

  /** The CA bundle of the webhook, PEM. */
  public async bundle(): Promise<string> {
    const { webhooks } = await this.plane.api.get(configuration);
    return Buffer.from(webhooks[0].clientConfig.caBundle ?? '', 'base64').toString();
  }

  private async healthy(objects: readonly KubernetesObject[]): Promise<void> {
    for (const object of objects.filter(({ kind }) => kind === 'Certificate')) {
      await eventually(`Certificate ${object.metadata.name} ready`, async () => {
        const { status, metadata } = await this.plane.api.get(object);
        return (status?.conditions ?? []).some(
          (each: any) =>
            each.type === 'Ready' &&
            each.status === 'True' &&
            each.observedGeneration === metadata['generation'],
        );
      });
    }
  }

  private async prune(objects: KubernetesObject[]): Promise<void> {
    const named = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.namespace} ${metadata.name}`;
    const kept = new Set(objects.map(named));
    for (const object of this.applied.filter((each) => !kept.has(named(each)) && each.kind !== 'Job')) {
      await this.plane.api.delete(object);
    }
    this.applied = objects;
  }
}

/** Runs `cluster-canary ca-rotation` in this process. */
export function rotation(args: readonly string[], kubeconfig: string): Promise<CommandResult> {
  return captured(caRotationCommand(), [...args, '--kubeconfig', kubeconfig]);
}
