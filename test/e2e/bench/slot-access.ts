import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ControlPlane } from './control-plane';
import type { KubernetesObject } from './kubernetes-api';
import { temporaryFolder } from './temporary';

/** The API servers of slots for the command: a user at each, who has the rights of a plan and no others. */
export class SlotAccess {
  private constructor(
    private readonly planes: Readonly<Record<string, ControlPlane>>,
    /** What a check needs to find the API servers: each slot's name is its context. */
    public readonly settings: {
      readonly kubeconfig: string;
      readonly contexts: Readonly<Record<string, string>>;
    },
  ) {}

  /** Makes the users, who have no right yet. */
  public static async to(planes: Readonly<Record<string, ControlPlane>>): Promise<SlotAccess> {
    const kubeconfig = join(temporaryFolder('slots'), 'kubeconfig');
    const slots = Object.keys(planes);
    const all = await Promise.all(
      slots.map(async (slot) => {
        const access = await planes[slot]!.accessFor(userOf(slot));
        const { server, certificateAuthority, certificate, key } = access;
        const data = (text: string): string => Buffer.from(text).toString('base64');
        return {
          cluster: {
            name: slot,
            cluster: { server, 'certificate-authority-data': data(certificateAuthority) },
          },
          user: {
            name: slot,
            user: { 'client-certificate-data': data(certificate), 'client-key-data': data(key) },
          },
          context: { name: slot, context: { cluster: slot, user: slot } },
        };
      }),
    );
    const merged = {
      ...{ apiVersion: 'v1', kind: 'Config' },
      clusters: all.map(({ cluster }) => cluster),
      users: all.map(({ user }) => user),
      contexts: all.map(({ context }) => context),
    };
    writeFileSync(kubeconfig, JSON.stringify(merged), { mode: 0o600 });
    const contexts = Object.fromEntries(slots.map((slot) => [slot, slot]));
    return new SlotAccess(planes, { kubeconfig, contexts });
  }

  /** Gives the users what `cluster-canary shift PLAN --rights --json` printed. */
  public async grant(rights: string): Promise<void> {
    for (const { cluster, roles } of JSON.parse(rights).kubernetes) {
      const slot: string = cluster.context;
      const bindings = roles.map(({ kind, metadata }: KubernetesObject) => ({
        ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: `${kind}Binding`, metadata },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: metadata.name },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: userOf(slot) }],
      }));
      await this.planes[slot]!.apply([...roles, ...bindings]);
    }
  }
}

/** Who the command is at a slot's API server. */
export function userOf(slot: string): string {
  return `shift-${slot}`;
}
