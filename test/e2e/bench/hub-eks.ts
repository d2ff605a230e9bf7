import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onCleanUp } from './clean-up';
import type { ControlPlane } from './control-plane';

/** A right that a user got or lost. */
export interface RightChange {
  readonly at: Date;
  readonly user: string;
  /** Name of the access policy. */
  readonly policy: string;
  readonly has: boolean;
}

const adminPolicy = 'AmazonEKSClusterAdminPolicy';

/** Cluster roles that the access policies stand for. */
const roles: Readonly<Record<string, string>> = {
  [adminPolicy]: 'cluster-admin',
  AmazonEKSAdminViewPolicy: 'e2e-view-everything',
};

/**
 * Stands for the part of EKS that knows access entries, for one cluster: what is associated with a role is bound by RBAC to
 * the user that the role is on the control plane.
 */
export class HubEks {
  /** What was given and taken, in order. */
  public readonly changes: RightChange[] = [];

  private readonly policies = new Map<string, Set<string>>();
  private server?: ReturnType<typeof createServer>;

  /** @param userOf the user that stands for a role */
  public constructor(
    private readonly plane: ControlPlane,
    private readonly userOf: (roleArn: string) => string,
  ) {}

  /** Makes the role that may read, without which no right is of use. */
  public async prepare(): Promise<void> {
    await this.plane.api.apply({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: roles.AmazonEKSAdminViewPolicy! },
      rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch'] }],
    });
  }

  /** Serves it; answers where. */
  public async start(): Promise<string> {
    await this.prepare();
    const server = createServer((request, response) => void this.serve(request, response));
    this.server = server;
    await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
    onCleanUp(() => void this.server?.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** Users that have the right to write now. */
  public get writers(): string[] {
    return [...this.policies]
      .filter(([, policies]) => [...policies].some((each) => each.endsWith(`/${adminPolicy}`)))
      .map(([arn]) => this.userOf(arn));
  }

  /** Whether a user had the right to write at a moment, give or take what an answer takes. */
  public couldWrite(user: string, at: Date): boolean {
    const own = this.changes.filter((each) => each.user === user && each.policy === adminPolicy);
    return own.some(({ has, at: given }, index) => {
      const until = own[index + 1]?.at ?? new Date(8.64e15);
      return has && given.getTime() - 1 <= at.getTime() && at.getTime() <= until.getTime() + 1;
    });
  }

  /** Lets a user write whatever EKS says, or no longer. */
  public async bypass(user: string, on: boolean): Promise<void> {
    await this.bind(user, 'bypass', 'cluster-admin', on);
  }

  /** Answers one request. */
  public async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) {
      text += String(chunk);
    }
    const parts = request.url!.split('?')[0]!.split('/').slice(1).map(decodeURIComponent);
    const [, cluster, , principal, , policy] = parts;
    const answer = (status: number, body: object): void => {
      response.writeHead(status, {
        'content-type': 'application/json',
        ...(status === 404 && { 'x-amzn-errortype': 'ResourceNotFoundException' }),
      });
      response.end(JSON.stringify(body));
    };
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, string>);
    const own = this.policies.get(principal ?? body.principalArn!);
    try {
      if (parts.length === 3 && request.method === 'POST') {
        this.policies.set(body.principalArn!, own ?? new Set());
        answer(200, { accessEntry: { clusterName: cluster, principalArn: body.principalArn } });
      } else if (own === undefined) {
        answer(404, { message: 'The specified resource could not be found.' });
      } else if (request.method === 'GET') {
        const associatedAccessPolicies = [...own].map((policyArn) => ({ policyArn }));
        answer(200, { clusterName: cluster, principalArn: principal, associatedAccessPolicies });
      } else if (parts.length === 4) {
        await Promise.all([...own].map((each) => this.change(principal!, each, false)));
        this.policies.delete(principal!);
        answer(200, {});
      } else if (request.method === 'POST') {
        await this.change(principal!, body.policyArn!, true);
        answer(200, { clusterName: cluster, principalArn: principal });
      } else if (own.has(policy!)) {
        await this.change(principal!, policy!, false);
        answer(200, {});
      } else {
        answer(404, { message: 'The specified resource could not be found.' });
      }
    } catch (error) {
      answer(500, { message: (error as Error).message });
    }
  }

  private async change(roleArn: string, policyArn: string, has: boolean): Promise<void> {
    const user = this.userOf(roleArn);
    const policy = policyArn.split('/').at(-1)!;
    const note = () => void this.changes.push({ at: new Date(), user, policy, has });
    const own = this.policies.get(roleArn)!;
    // Given from before it works, taken when it has ended.
    if (has) {
      note();
      own.add(policyArn);
    }
    // A cluster that is gone keeps nobody from changing what EKS knows.
    await this.bind(user, policy, roles[policy]!, has).catch(() => undefined);
    if (!has) {
      own.delete(policyArn);
      note();
    }
  }

  private async bind(user: string, policy: string, role: string, has: boolean): Promise<void> {
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const binding = {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name: `e2e-${user}-${policy.toLowerCase()}` },
    };
    if (!has) {
      await this.plane.api.delete(binding).catch(() => undefined);
      return;
    }
    await this.plane.api.apply({
      ...binding,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }],
    });
  }
}
