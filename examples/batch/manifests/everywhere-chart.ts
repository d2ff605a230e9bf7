import { ApiObject, Chart } from 'cdk8s';
import { WorkflowAlerts, WorkflowTemplate } from 'cluster-canary/workflows';
import type { Construct } from 'constructs';

const image = `registry.example.com/reports@sha256:${'0'.repeat(64)}`;
const account = 'workflow';
const rights = 'rbac.authorization.k8s.io';

/** What every cluster has: workflows that can be started, who is told about them, and the Service of the results. */
export class EverywhereChart extends Chart {
  public constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: 'batch' });
    this.account();
    this.workflow();
    this.alerts();
    this.reports();
  }

  /** Who the steps run as: they may say what came of them, and nothing else. */
  private account(): void {
    const metadata = { name: account };
    new ApiObject(this, 'account', { apiVersion: 'v1', kind: 'ServiceAccount', metadata });
    new ApiObject(this, 'role', {
      apiVersion: `${rights}/v1`,
      kind: 'Role',
      metadata,
      rules: [{ apiGroups: ['argoproj.io'], resources: ['workflowtaskresults'], verbs: ['create', 'patch'] }],
    });
    new ApiObject(this, 'binding', {
      apiVersion: `${rights}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: rights, kind: 'Role', name: account },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace: 'batch' }],
    });
  }

  private workflow(): void {
    new WorkflowTemplate(this, 'nightly', {
      name: 'nightly',
      spec: {
        entrypoint: 'all',
        serviceAccountName: account,
        activeDeadlineSeconds: 14_400,
        templates: [
          {
            name: 'all',
            steps: [
              [{ name: 'load', template: 'load' }],
              [{ name: 'render', template: 'render' }],
              [{ name: 'bill', template: 'bill' }],
            ],
          },
          // It may begin anew: also when its node goes away.
          { name: 'load', retry: { retries: 'interruptions' }, container: { image, command: ['load'] } },
          // Its sources fail at times. Status 64 says that its arguments are wrong, which no retry fixes.
          {
            name: 'render',
            retry: { retries: 'failures', finalExitCodes: [64] },
            container: { image, command: ['render'] },
          },
          // It must not run twice: only a pod that never began is made again.
          { name: 'bill', retry: { retries: 'refusals' }, container: { image, command: ['bill'] } },
        ],
      },
    });
  }

  /** A step that is refused is a warning while retries may still help; a workflow that has failed is critical. */
  private alerts(): void {
    // Where Argo Events works.
    const namespace = 'argo-events';
    new ApiObject(this, 'bus', {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'EventBus',
      metadata: { name: 'default', namespace },
      // A version that stays, and three servers: one may be on a node that goes away.
      spec: { jetstream: { version: '2.10.10', replicas: 3 } },
    });
    new WorkflowAlerts(this, 'alerts', {
      name: 'batch',
      namespace,
      workflowNamespace: 'batch',
      url: 'https://alerts.example.com/argo',
      authorization: { secret: 'alerts', key: 'authorization' },
    });
  }

  private reports(): void {
    const labels = { app: 'reports' };
    new ApiObject(this, 'service', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'reports' },
      spec: { selector: labels, ports: [{ port: 80, targetPort: 8080 }] },
    });
    new ApiObject(this, 'deployment', {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'reports' },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            automountServiceAccountToken: false,
            containers: [{ name: 'reports', image, command: ['serve'], ports: [{ containerPort: 8080 }] }],
          },
        },
      },
    });
  }
}
