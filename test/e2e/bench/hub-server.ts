import { ApiServer } from '../../core/kubernetes/api-server';
import { onCleanUp } from './clean-up';

/** The API server of a hub in memory, with a project and a fleet's cluster Secrets; it is gone when the test file ends. */
export class HubServer {
  public static async start(): Promise<HubServer> {
    const server = await ApiServer.start();
    onCleanUp(() => server.stop());
    return new HubServer(server);
  }

  /** Descriptions of the project's windows, after each change. */
  public readonly windows: string[][] = [];
  /** How often the Secrets were listed. */
  public looks = 0;
  /** How often one was written. */
  public labelWrites = 0;

  private syncWindows: readonly { readonly description?: string }[] | undefined;
  private readonly labels: Record<string, Record<string, string>> = {
    blue: own('blue'),
    green: own('green'),
  };

  private constructor(private readonly server: ApiServer) {
    server.script(({ method, path, body }) => {
      if (path.endsWith('/appprojects/apps')) {
        if (method === 'PATCH' && body.spec) {
          this.syncWindows = body.spec.syncWindows ?? undefined;
          this.windows.push((this.syncWindows ?? []).map(({ description }) => description ?? ''));
        }
        const metadata = { name: 'apps', resourceVersion: '1', managedFields: [] };
        return { json: { metadata, spec: { syncWindows: this.syncWindows } } };
      }
      const slot = /apps-(\w+)$/.exec(path)?.[1];
      if (slot !== undefined) {
        this.labelWrites += 1;
        this.labels[slot] = { ...own(slot), ...body.metadata.labels };
        return { json: this.secret(slot) };
      }
      this.looks += 1;
      return {
        json: { kind: 'SecretList', items: Object.keys(this.labels).map((each) => this.secret(each)) },
      };
    });
  }

  public get kubeconfig(): string {
    return this.server.kubeconfig();
  }

  /** The part that the Secrets say of each slot. */
  public parts(): Record<string, string | undefined> {
    return Object.fromEntries(
      Object.entries(this.labels).map(([slot, labels]) => [slot, labels['cluster-canary/traffic']]),
    );
  }

  /** Puts windows into the project, past the API. */
  public leave(...descriptions: string[]): void {
    this.syncWindows = descriptions.map((description) => ({ description }));
  }

  private secret(slot: string): object {
    const metadata = { name: `apps-${slot}`, namespace: 'argocd', uid: slot, labels: this.labels[slot] };
    return { apiVersion: 'v1', kind: 'Secret', metadata };
  }
}

function own(slot: string): Record<string, string> {
  return { 'cluster-canary/fleet': 'apps', 'cluster-canary/slot': slot };
}
