import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { SlotRef } from '../../../lib/pulumi/fleet';
import type { ArgoCd } from './argo-cd';
import { argoCd } from './argo-cd';
import type { AuditEntry } from './audit';
import type { ControlPlane } from './control-plane';
import { controlPlane } from './control-plane';
import { eventually } from './eventually';
import { GitRepository } from './git-repository';
import { HubEks } from './hub-eks';
import type { HubProgramOptions } from './hub-program';
import { hubProgram } from './hub-program';
import type { KubernetesObject } from './kubernetes-api';
import { descendants, runningProcesses } from './listeners';
import { moto } from './moto';
import { clusterEnvironment } from './pulumi-clusters';
import type { PulumiStack } from './pulumi-stack';
import { pulumiStack } from './pulumi-stack';
import { temporaryFolder } from './temporary';

/** Hub slots. */
export type HubSlot = 'blue' | 'green';

const slots: readonly HubSlot[] = ['blue', 'green'];
const deployment = { apiVersion: 'apps/v1', kind: 'Deployment' };
const podinfo = { ...deployment, metadata: { name: 'podinfo', namespace: 'podinfo' } };
const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'podinfo' } };

/** Two hubs with an Argo CD each, one cluster that both manage, and a stack that says which one writes. */
export class HubBench {
  private replicas = 0;

  public constructor(
    public readonly hubs: Readonly<Record<HubSlot, ControlPlane>>,
    public readonly target: ControlPlane,
    public readonly argo: Readonly<Record<HubSlot, ArgoCd>>,
    public readonly eks: HubEks,
    public readonly stack: PulumiStack,
    private readonly repository: GitRepository,
  ) {
    this.commit();
  }

  /** A program that runs in the test's process. */
  public program(options: Partial<HubProgramOptions> = {}) {
    return hubProgram(this.options(options));
  }

  /** The same in a file, for plain `pulumi up`. */
  public file(options: Partial<HubProgramOptions> = {}): string {
    const file = join(temporaryFolder('program'), 'index.js');
    const path = join(__dirname, 'hub-program.ts');
    writeFileSync(
      file,
      `const { hubProgram } = require(${JSON.stringify(path)});\n` +
        `module.exports = hubProgram(${JSON.stringify(this.options(options))});\n`,
    );
    return file;
  }

  /** Commits another number of replicas, and has every hub look at it at once, as a webhook of the repository would. */
  public commit(): number {
    this.replicas += 1;
    const spec = {
      replicas: this.replicas,
      selector: { matchLabels: { app: 'podinfo' } },
      template: {
        metadata: { labels: { app: 'podinfo' } },
        spec: { containers: [{ name: 'podinfo', image: 'registry.example.com/podinfo:test' }] },
      },
    };
    const object = { ...deployment, metadata: { name: 'podinfo' }, spec };
    this.repository.commit({ 'podinfo/deployment.yaml': JSON.stringify(object) });
    return this.replicas;
  }

  /** Has hubs look at the repository now. */
  public async refresh(names: readonly HubSlot[] = slots): Promise<void> {
    await Promise.all(
      names.map(async (slot) => {
        for (const { apiVersion, kind, metadata } of await this.applications(slot)) {
          const { name } = metadata;
          await this.hubs[slot].api
            .patch(
              { apiVersion, kind, metadata: { name, namespace: 'argocd' } },
              { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'hard' } } },
            )
            .catch(() => undefined);
        }
      }),
    );
  }

  /** Has the ApplicationSets of a hub reconciled, as any change of their annotations does. */
  public async askSets(slot: HubSlot): Promise<void> {
    const { api } = this.hubs[slot];
    const sets = await api.list('argoproj.io/v1alpha1', 'ApplicationSet', { namespace: 'argocd' });
    for (const { apiVersion, kind, metadata } of sets) {
      await api.patch(
        { apiVersion, kind, metadata: { name: metadata.name, namespace: 'argocd' } },
        { metadata: { annotations: { 'example.com/asked-at': new Date().toISOString() } } },
      );
    }
  }

  public applications(slot: HubSlot): Promise<KubernetesObject[]> {
    return this.hubs[slot].api.list('argoproj.io/v1alpha1', 'Application', { namespace: 'argocd' });
  }

  /** Waits until what was committed last is deployed. */
  public async deployed(): Promise<void> {
    const wanted = this.replicas;
    await eventually(`${wanted} replicas`, async () => {
      const live = await this.target.api.get(podinfo);
      if (live.spec.replicas !== wanted) {
        throw new Error(`${live.spec.replicas}`);
      }
      return true;
    });
  }

  /** Identities of what is deployed: another one is another object. */
  public async uids(): Promise<string[]> {
    const objects = await Promise.all([podinfo, namespace].map((each) => this.target.api.get(each)));
    return objects.map(({ metadata }) => String(metadata.uid));
  }

  /** What hubs have written in the managed cluster since a moment, in order. */
  public writes(since: Date): AuditEntry[] {
    return this.target
      .audit({ since })
      .filter(({ user, status, group, uri }) => {
        const asks = group === 'authorization.k8s.io' || uri.includes('dryRun=');
        return user.startsWith('hub-') && status < 300 && !asks;
      })
      .sort((one, other) => one.at.getTime() - other.at.getTime());
  }

  /** Who wrote, in order, each as long as no other one came between. */
  public writers(since: Date): string[] {
    return this.writes(since)
      .map(({ user }) => user)
      .filter((user, index, all) => user !== all[index - 1]);
  }

  /** Kills the engine of this test file that runs `up`, its plugins and its program, as `kill -9` does. */
  public async kill(): Promise<void> {
    const all = runningProcesses();
    const engines = descendants(process.pid, all).filter(({ command }) => /\/bin\/pulumi up /.test(command));
    for (const { pid } of engines.flatMap((engine) => [...descendants(engine.pid, all), engine])) {
      process.kill(pid, 'SIGKILL');
    }
    await eventually('the end of the engine', () =>
      runningProcesses().every(({ pid }) => !engines.some((engine) => engine.pid === pid)),
    );
    await this.stack.stack.cancel();
  }

  /** What a program is made of. */
  public options(options: Partial<HubProgramOptions> = {}): HubProgramOptions {
    return {
      hubs: Object.fromEntries(slots.map((slot) => [slot, slotRef(this.hubs[slot])])),
      targets: { blue: slotRef(this.target) },
      active: 'blue',
      handover: { compareWithin: '40s', finishWithin: '40s', settle: '200ms' },
      repository: this.repository.url,
      ...options,
    };
  }
}

/** Starts all of it; nothing is registered yet. */
export async function hubBench(): Promise<HubBench> {
  const [blue, green, target, aws] = await Promise.all([
    controlPlane({ name: 'hub-blue' }),
    controlPlane({ name: 'hub-green' }),
    controlPlane({ name: 'apps-blue' }),
    moto(),
  ]);
  const planes = { 'hub-blue': blue, 'hub-green': green, 'apps-blue': target };
  const eks = new HubEks(target, (arn) => `hub-${/argocd-(blue|green)/.exec(arn)![1]!}`);
  const folder = temporaryFolder('hub');
  // The hooks of an inline program and the controllers look for programs here.
  const own = clusterEnvironment(folder, planes);
  Object.assign(process.env, own, { AWS_ENDPOINT_URL_EKS: await eks.start() });
  process.env.PATH = `${await loginProgram([blue, green], target)}:${process.env.PATH}`;
  const [argoBlue, argoGreen] = await Promise.all([argoCd(blue), argoCd(green)]);
  const stack = await pulumiStack(() => Promise.resolve(), { aws, planes });
  return new HubBench(
    { blue, green },
    target,
    { blue: argoBlue, green: argoGreen },
    eks,
    stack,
    new GitRepository(),
  );
}

/**
 * A folder with `argocd-k8s-auth`, which Argo CD runs to log in to an EKS cluster: it hands out the certificate of a user
 * that is named after the hub, which it knows by the kubeconfig of the Argo CD that runs it.
 */
export async function loginProgram(hubs: readonly ControlPlane[], target: ControlPlane): Promise<string> {
  const folder = temporaryFolder('login');
  for (const hub of hubs) {
    const below = join(folder, basename(hub.folder));
    mkdirSync(below);
    // No group: what the user may do is what it is bound to.
    const kubeconfig = JSON.parse(readFileSync(await target.kubeconfigFor(hub.name, []), 'utf8'));
    const [{ user }] = kubeconfig.users;
    const credential = JSON.stringify({
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      kind: 'ExecCredential',
      status: {
        clientCertificateData: decoded(user['client-certificate-data']),
        clientKeyData: decoded(user['client-key-data']),
      },
    });
    writeFileSync(join(below, target.name), credential, { mode: 0o600 });
  }
  const script = `#!/bin/sh\nexec cat "${folder}/$(basename "$(dirname "$KUBECONFIG")")/$3"\n`;
  writeFileSync(join(folder, 'argocd-k8s-auth'), script, { mode: 0o700 });
  return folder;
}

function decoded(base64: string): string {
  return Buffer.from(base64, 'base64').toString();
}

function slotRef(plane: ControlPlane): SlotRef {
  return {
    clusterName: plane.name,
    clusterArn: `arn:aws:eks:eu-west-1:123456789012:cluster/${plane.name}`,
    region: 'eu-west-1',
    endpoint: plane.server,
    certificateAuthority: Buffer.from(plane.certificateAuthority).toString('base64'),
    vpcId: 'vpc-1',
    clusterSecurityGroupId: 'sg-1',
    nodeSecurityGroupId: 'sg-2',
    targetGroupArns: {},
  };
}
