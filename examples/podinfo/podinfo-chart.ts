import type { ChartProps } from 'cdk8s';
import { ApiObject, Chart } from 'cdk8s';
import { Canary, loadTest, MetricTemplate } from 'cluster-canary/flagger';
import { AnalysisTemplate, Rollout, canarySteps } from 'cluster-canary/rollouts';
import type { Construct } from 'constructs';
import type { Images } from './images';
import { errors, slow } from './podinfo-checks';
import type { Workload } from './workload';
import { autoscaler, deployment, podTemplate, service } from './workload';

/** Namespace of podinfo. */
export const namespace = 'podinfo';

/** What a cluster needs to run podinfo. */
export interface PodinfoProps extends ChartProps {
  readonly images: Images;
  /** Host name of the frontend. */
  readonly host: string;
  /** Gateway of the cluster that takes the traffic. */
  readonly gateway: { readonly name: string; readonly namespace: string };
}

/** podinfo as two applications, and a load tester: for each cluster of the fleet. */
export class PodinfoChart extends Chart {
  public constructor(scope: Construct, id: string, props: PodinfoProps) {
    super(scope, id, { ...props, namespace });
    const { images, host, gateway } = props;
    new ApiObject(this, 'namespace', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    this.loadTester(images.loadTester);
    const metrics = Object.entries({ errors, slow }).map(([name, check]) =>
      new MetricTemplate(this, name, { name, check }).metric(),
    );

    // Shown to visitors by weights: the Gateway sends them to both versions.
    const frontend = this.podinfo('frontend', images.podinfo, ['--backend-url=http://backend:9898/echo']);
    deployment(this, frontend);
    autoscaler(this, frontend, { apiVersion: 'apps/v1', kind: 'Deployment' });
    new Canary(this, 'frontend', {
      name: frontend.name,
      targetRef: { name: frontend.name },
      autoscalerRef: { name: frontend.name },
      service: { port: frontend.port, targetPort: 'http', hosts: [host], gatewayRefs: [gateway] },
      analysis: {
        stepWeights: [5, 20, 50],
        metrics,
        webhooks: [
          loadTest({
            loadTester: `http://load-tester.${namespace}/`,
            target: `http://frontend-canary.${namespace}:9898/`,
          }),
        ],
      },
    });

    // Called by the frontend alone, without a Gateway before it: its pods are exchanged step by step.
    const backend = this.podinfo('backend', images.podinfo, []);
    const analysis = new AnalysisTemplate(this, 'backend-analysis', {
      name: backend.name,
      metrics: [{ check: errors }, { check: slow }],
    }).analysis();
    new Rollout(this, 'backend', {
      name: backend.name,
      template: podTemplate(backend),
      strategy: { canary: { steps: canarySteps({ step: [25, 50], analysis }) } },
    });
    autoscaler(this, backend, { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' }, 4);
    service(this, backend, backend.name);
  }

  private podinfo(
    name: string,
    image: string,
    more: readonly string[],
  ): Workload & { readonly port: number } {
    const command = ['./podinfo', '--port=9898', '--port-metrics=9797', '--level=info', ...more];
    return { name, image, command, port: 9898, metricsPort: 9797, readyPath: '/readyz' };
  }

  /** Sends requests when a Canary asks for them, and without end to the backend by way of the frontend. */
  private loadTester(image: string): void {
    const name = 'load-tester';
    const command = ['./loadtester', '-port=8080', '-log-level=info', '-timeout=1h'];
    const tester = { name, image, command, port: 8080, readyPath: '/healthz' };
    const visitors = {
      name: 'visitors',
      image,
      command: ['hey', '-z', '24h', '-q', '5', '-c', '2', '-m', 'POST', 'http://frontend:9898/echo'],
    };
    deployment(this, tester);
    service(this, tester, name, 80);
    deployment(this, visitors);
  }
}
