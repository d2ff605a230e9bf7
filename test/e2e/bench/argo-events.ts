import { readFileSync } from 'node:fs';
import { crdFolder } from '../tools/crds';
import { programPath } from '../tools/go-tools';
import type { ControlPlane } from './control-plane';
import type { Controller } from './controller';
import { answersAt, startController } from './controller';
import { eventually } from './eventually';
import type { KubernetesObject } from './kubernetes-api';
import { inOwnRoot } from './own-root';
import { podProcess } from './pod-process';
import type { BenchProcess } from './process';
import { freePort } from './temporary';

/** Port of the metrics of every EventSource and Sensor. */
const metricsPort = 7777;

/** What runs because of an EventSource or a Sensor. */
export interface EventsPod {
  /** Address of its pod. */
  readonly address: string;
  readonly pod: KubernetesObject;
  readonly process: BenchProcess;
}

/** The running controllers of Argo Events: of EventBuses, EventSources and Sensors. */
export interface ArgoEvents extends Controller {
  /**
   * Waits until the controllers have made the Deployment of an EventSource or a Sensor, and it its pod, and runs the
   * pod's program.
   */
  run(kind: 'EventSource' | 'Sensor', name: string, namespace: string): Promise<EventsPod>;
}

/** The versions that EventBuses may have; nothing runs their images. */
const configuration = {
  eventBus: {
    nats: {
      versions: [
        { version: '0.22.1', natsStreamingImage: 'nats-streaming', metricsExporterImage: 'exporter' },
      ],
    },
    jetstream: {
      settings: 'max_memory_store: -1\n',
      streamConfig: 'maxMsgs: 50000\nmaxAge: 168h\nmaxBytes: -1\nreplicas: 1\nduplicates: 300s\n',
      versions: [
        {
          version: '2.12.1',
          natsImage: 'registry.example.com/nats:2.12.1',
          metricsExporterImage: 'registry.example.com/exporter:test',
          configReloaderImage: 'registry.example.com/reloader:test',
          startCommand: '/nats-server',
        },
      ],
    },
  },
};

/** Starts the controllers of Argo Events on a control plane, as the user `argo-events`, with their definitions. */
export async function argoEvents(plane: ControlPlane): Promise<ArgoEvents> {
  await plane.installCrds(crdFolder('argo-events'));
  const [health, metrics] = [await freePort(), await freePort()];
  const controller = await startController(plane, {
    name: 'argo-events',
    ...inOwnRoot({
      name: 'argo-events',
      program: programPath('argo-events'),
      args: [
        ...['controller', '--leader-election=false'],
        ...['--health-port', String(health), '--metrics-port', String(metrics)],
      ],
      files: {
        '/etc/argo-events/controller-config.yaml': JSON.stringify(configuration),
        '/kubeconfig': readFileSync(await plane.kubeconfigFor('argo-events'), 'utf8'),
      },
    }),
    env: {
      ARGO_EVENTS_IMAGE: 'registry.example.com/argo-events:test',
      KUBECONFIG: '/kubeconfig',
      HOME: '/',
      TMPDIR: '/tmp',
    },
    ready: () => answersAt(health, '/readyz'),
  });
  return { ...controller, run: (...args) => run(plane, ...args) };
}

async function run(
  plane: ControlPlane,
  kind: 'EventSource' | 'Sensor',
  name: string,
  namespace: string,
): Promise<EventsPod> {
  const label = kind === 'Sensor' ? 'sensor-name' : 'eventsource-name';
  const pod = await eventually(`a pod of ${kind} ${name}`, async () =>
    (await plane.api.list('v1', 'Pod', { namespace, labelSelector: `${label}=${name}` })).find(
      ({ metadata, status }) => metadata.deletionTimestamp === undefined && status.podIP !== undefined,
    ),
  );
  const process = await podProcess(plane, pod, {
    program: programPath('argo-events'),
    ready: (address) => answersAt(metricsPort, '/metrics', address),
  });
  return { address: pod.status.podIP, pod, process };
}
