import { ApiObject } from 'cdk8s';
import type { PodTemplate } from 'cluster-canary/rollouts';
import type { Construct } from 'constructs';

/** A program that runs in some pods. */
export interface Workload {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  /** @default - it takes no requests */
  readonly port?: number;
  /** Port of its metrics. @default - the same */
  readonly metricsPort?: number;
  /** Path that answers when it is ready. @default - it is ready when it runs */
  readonly readyPath?: string;
}

/** Labels by which pods and Services find each other; Flagger takes `app` for its own Services. */
export const labelsOf = (name: string): Record<string, string> => ({ app: name });

/** The pods of a workload. */
export function podTemplate(workload: Workload): PodTemplate {
  const { name, image, command, port, metricsPort = port, readyPath } = workload;
  const scraped = { 'prometheus.io/scrape': 'true', 'prometheus.io/port': String(metricsPort) };
  return {
    metadata: { labels: labelsOf(name), ...(metricsPort === undefined ? {} : { annotations: scraped }) },
    spec: {
      automountServiceAccountToken: false,
      containers: [
        {
          name,
          image,
          command,
          ...(port === undefined ? {} : { ports: [{ name: 'http', containerPort: port }] }),
          ...(readyPath === undefined
            ? {}
            : {
                readinessProbe: { httpGet: { path: readyPath, port: 'http' } },
                livenessProbe: { httpGet: { path: '/healthz', port: 'http' } },
              }),
          resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '512Mi' } },
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            seccompProfile: { type: 'RuntimeDefault' },
          },
        },
      ],
    },
  };
}

/** A Deployment without a number of pods: whoever scales it says that, and Argo CD leaves it alone. */
export function deployment(scope: Construct, workload: Workload): void {
  const { name } = workload;
  new ApiObject(scope, `${name}-deployment`, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { selector: { matchLabels: labelsOf(name) }, template: podTemplate(workload) },
  });
}

/** What scales a Deployment or a Rollout. */
export function autoscaler(
  scope: Construct,
  { name }: Workload,
  target: { readonly apiVersion: string; readonly kind: string },
  minReplicas = 2,
): void {
  new ApiObject(scope, `${name}-autoscaler`, {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name },
    spec: {
      scaleTargetRef: { ...target, name },
      minReplicas,
      maxReplicas: 8,
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
        },
      ],
    },
  });
}

/** A Service of a workload. */
export function service(scope: Construct, workload: Workload, name: string, port = workload.port): void {
  new ApiObject(scope, `${name}-service`, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name },
    spec: {
      selector: labelsOf(workload.name),
      ports: [{ name: 'http', port, targetPort: 'http' }],
    },
  });
}
