import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { programPath } from '../tools/go-tools';
import { kubectlPath } from '../tools/other-tools';
import type { AuditEntry, AuditQuery } from './audit';
import { auditEntries, auditPolicy } from './audit';
import type { CertManager, CertManagerOptions } from './cert-manager';
import { startCertManager } from './cert-manager';
import { onCleanUp } from './clean-up';
import type { Program, ProgramOptions } from './control-plane-programs';
import { apiService, files, programArguments, programs } from './control-plane-programs';
import { establishCrds, isCrd, objectsBelow } from './crds';
import { eventually } from './eventually';
import type { Access } from './https-json';
import type { Kubeconfig } from './kubeconfig';
import { kubeconfigOf } from './kubeconfig';
import type { KubernetesObject } from './kubernetes-api';
import { KubernetesApi } from './kubernetes-api';
import { CertificateAuthority, signingKeys } from './pki';
import { BenchProcess } from './process';
import { freePort, temporaryFolder } from './temporary';

/**
 * What every kubelet says of its machine: charts select nodes by it.
 * @see https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetes-io-os
 */
const kubeletLabels = { 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' };

const run = promisify(execFile);

/** What a control plane is started with. */
export interface ControlPlaneOptions extends ProgramOptions {
  /** Name in kubeconfigs, and lead of the nodes' names. @default 'cluster' */
  readonly name?: string;
  /** How many nodes there are. @default 1 */
  readonly nodes?: number;
  /** Whether cert-manager runs on it, and how. @default false */
  readonly certManager?: boolean | CertManagerOptions;
}

/** Starts a Kubernetes control plane with nodes that run nothing; it is gone when the test file ends. */
export async function controlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const plane = await ControlPlane.prepare(options.name ?? 'cluster', options);
  await plane.startAll(options.nodes ?? 1);
  if (options.certManager !== undefined && options.certManager !== false) {
    await plane.startCertManager(options.certManager === true ? {} : options.certManager);
  }
  return plane;
}

/** A running control plane: etcd, API server, controller manager, scheduler, and kwok as all the kubelets. */
export class ControlPlane {
  /** Makes keys, certificates and files; starts nothing. */
  public static async prepare(name: string, options: ProgramOptions): Promise<ControlPlane> {
    const folder = temporaryFolder(name);
    const authority = await CertificateAuthority.create(`${name}-ca`);
    const [server, accounts, admin] = await Promise.all([
      authority.issue({
        name: 'kube-apiserver',
        hosts: ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
        addresses: ['127.0.0.1', apiService],
      }),
      signingKeys(),
      authority.issue({ name: 'admin', groups: ['system:masters'] }),
    ]);
    const contents = {
      [files.authority]: authority.certificate,
      [files.serverCertificate]: server.certificate,
      [files.serverKey]: server.key,
      [files.accountsPrivate]: accounts.privateKey,
      [files.accountsPublic]: accounts.publicKey,
      [files.auditPolicy]: JSON.stringify(auditPolicy),
    };
    for (const [file, text] of Object.entries(contents)) {
      writeFileSync(join(folder, file), text, { mode: 0o600 });
    }
    const [etcd, etcdPeer, apiServer, kwok] = await Promise.all([1, 2, 3, 4].map(() => freePort()));
    const plane = new ControlPlane(name, folder, authority, {
      server: `https://127.0.0.1:${apiServer}`,
      certificateAuthority: authority.certificate,
      certificate: admin.certificate,
      key: admin.key,
    });
    const users = ['system:kube-controller-manager', 'system:kube-scheduler', 'kwok'];
    const kubeconfigs = new Map(
      await Promise.all(users.map(async (user) => [user, await plane.kubeconfigFor(user)] as const)),
    );
    const args = programArguments(
      { etcd: etcd!, etcdPeer: etcdPeer!, apiServer: apiServer!, kwok: kwok! },
      (user) => kubeconfigs.get(user)!,
      options,
    );
    for (const program of programs) {
      plane.processes.set(
        program,
        new BenchProcess({ name: program, command: programPath(program), args: args[program], folder }),
      );
    }
    plane.ready = {
      etcd: () => answers(`http://127.0.0.1:${etcd}/health`),
      'kube-apiserver': () => plane.api.call('GET', '/readyz'),
      'kube-controller-manager': () => plane.api.get(defaultAccount),
      'kube-scheduler': () => Promise.resolve(true),
      kwok: () => answers(`http://127.0.0.1:${kwok}/healthz`),
    };
    return plane;
  }

  /** The Kubernetes API, as the administrator. */
  public readonly api: KubernetesApi;
  /** `https://127.0.0.1:PORT`. */
  public readonly server: string;
  /** Certificate that the API server's is signed with, PEM. */
  public readonly certificateAuthority: string;
  /** Client certificate of the administrator, PEM. */
  public readonly adminCertificate: string;
  /** Its key, PEM. */
  public readonly adminKey: string;
  /** Kubeconfig of the administrator. */
  public readonly kubeconfig: Kubeconfig;
  /** File with {@link kubeconfig}. */
  public readonly kubeconfigFile: string;
  /** cert-manager, where it was asked for. */
  public certManager?: CertManager;

  private readonly processes = new Map<Program, BenchProcess>();
  private ready?: Record<Program, () => Promise<unknown>>;

  private constructor(
    /** Name of the cluster. */
    public readonly name: string,
    /** Folder of its data and logs. */
    public readonly folder: string,
    private readonly authority: CertificateAuthority,
    private readonly admin: Required<Access>,
  ) {
    this.server = admin.server;
    this.certificateAuthority = admin.certificateAuthority;
    this.adminCertificate = admin.certificate;
    this.adminKey = admin.key;
    this.kubeconfig = kubeconfigOf(name, 'admin', admin);
    this.kubeconfigFile = join(folder, 'kubeconfig');
    writeFileSync(this.kubeconfigFile, JSON.stringify(this.kubeconfig, null, 2), { mode: 0o600 });
    this.api = new KubernetesApi(admin);
    onCleanUp(() => this.api.close());
  }

  /** Starts all programs, and answers when the nodes are ready for pods. */
  public async startAll(nodes: number): Promise<void> {
    await this.start('etcd');
    await this.start('kube-apiserver');
    await Promise.all([
      ...(['kube-controller-manager', 'kube-scheduler', 'kwok'] as const).map((each) => this.start(each)),
      ...Array.from({ length: nodes }, (_, index) => this.addNode(`${this.name}-${index + 1}`)),
    ]);
    await eventually('nodes ready', async () => {
      const found = await this.api.list('v1', 'Node');
      return found.length === nodes && found.every(({ spec }) => (spec.taints ?? []).length === 0);
    });
  }

  /** Adds a node; the label `sick: "true"` on it, or on a pod, makes it not ready. */
  public async addNode(name: string, labels: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.api.create({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { ...kubeletLabels, 'kubernetes.io/hostname': name, ...labels } },
    });
  }

  /** The process of a program: its id, its log. */
  public process(program: Program): BenchProcess {
    return this.processes.get(program)!;
  }

  /** Starts a program, again after {@link kill}, and waits until it answers. */
  public async start(program: Program): Promise<void> {
    if (program === 'kwok') {
      // One that was killed holds its nodes for 40 s more, and the next one waits for that.
      await this.api.call('DELETE', '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases');
    }
    await this.process(program).start(this.ready![program]);
  }

  /** Ends a program at once, with SIGKILL; its data stays. */
  public async kill(program: Program): Promise<void> {
    await this.process(program).kill();
  }

  /** Kills a program and starts it again. */
  public async restart(program: Program): Promise<void> {
    await this.kill(program);
    await this.start(program);
  }

  /**
   * Writes a kubeconfig for a user of its own, so that the audit log tells who wrote what.
   *
   * @param groups `system:masters` may everything
   */
  public async kubeconfigFor(user: string, groups: readonly string[] = ['system:masters']): Promise<string> {
    const file = join(this.folder, `kubeconfig-${user.replace(/[^a-z0-9-]+/gi, '-')}`);
    const access = await this.accessFor(user, groups);
    writeFileSync(file, JSON.stringify(kubeconfigOf(this.name, user, access)), { mode: 0o600 });
    return file;
  }

  /** Where the API server is, and the certificate of another user. */
  public async accessFor(user: string, groups: readonly string[] = []): Promise<Required<Access>> {
    return { ...this.admin, ...(await this.authority.issue({ name: user, groups })) };
  }

  /** The Kubernetes API as another user. */
  public async apiFor(user: string, groups: readonly string[] = []): Promise<KubernetesApi> {
    const api = new KubernetesApi(await this.accessFor(user, groups));
    onCleanUp(() => api.close());
    return api;
  }

  /** Runs kubectl and answers what it prints. */
  public async kubectl(...args: string[]): Promise<string> {
    const env = { ...process.env, KUBECONFIG: this.kubeconfigFile, HOME: this.folder };
    const { stdout } = await run(kubectlPath(), args, { env, maxBuffer: 64 * 1024 * 1024, timeout: 60_000 });
    return stdout;
  }

  /** Applies objects: first definitions and namespaces, then the others in their order. */
  public async apply(objects: KubernetesObject | readonly KubernetesObject[]): Promise<KubernetesObject[]> {
    const all: KubernetesObject[] = [objects].flat();
    await this.installCrds(all.filter(isCrd));
    const namespaces = all.filter(({ kind }) => kind === 'Namespace');
    const others = all.filter((object) => !isCrd(object) && object.kind !== 'Namespace');
    const applied: KubernetesObject[] = [];
    for (const object of [...namespaces, ...others]) {
      applied.push(await this.api.apply(object));
    }
    return applied;
  }

  /** Installs the custom resource definitions among these objects, or below a folder, and waits until they are served. */
  public async installCrds(source: string | readonly KubernetesObject[]): Promise<void> {
    await establishCrds(this.api, typeof source === 'string' ? objectsBelow(source) : source);
  }

  /** Who wrote what, and when, in the order of the answers. */
  public audit(query: AuditQuery = {}): AuditEntry[] {
    return auditEntries(join(this.folder, files.auditLog), query);
  }

  /** Starts cert-manager on this control plane. */
  public async startCertManager(options: CertManagerOptions = {}): Promise<CertManager> {
    this.certManager = await startCertManager(this, options);
    return this.certManager;
  }
}

const defaultAccount = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'default', namespace: 'default' },
};

async function answers(url: string): Promise<boolean> {
  return (await fetch(url, { signal: AbortSignal.timeout(2000) })).ok;
}
