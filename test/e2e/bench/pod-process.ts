import type { Server, Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { onCleanUp } from './clean-up';
import type { ControlPlane } from './control-plane';
import type { KubernetesObject } from './kubernetes-api';
import { inOwnRoot } from './own-root';
import { podFiles } from './pod-files';
import { BenchProcess } from './process';
import { freePort } from './temporary';
import { serviceAddress } from './webhook-server';

/** Name under which a pod finds the API server; its certificate is for it. */
const apiHost = 'kubernetes.default.svc';

/** What a pod's container runs here. */
export interface PodProgram {
  /** Path of the program that the image's entry point would be; it is statically linked. */
  readonly program: string;
  /** Fails, or answers `false`, until it runs; the address is the pod's. */
  readonly ready: (address: string) => Promise<unknown>;
}

/**
 * Runs the program of a pod's first container as a process: with the pod's address, the container's arguments and
 * environment, its volumes as files, and the token of the pod's ServiceAccount, so that RBAC says what it may. The pod
 * itself is ready because kwok says so, not because of this process. Volumes are not refreshed, and no Service address
 * is routed.
 */
export async function podProcess(
  plane: ControlPlane,
  pod: KubernetesObject,
  { program, ready }: PodProgram,
): Promise<BenchProcess> {
  const { name } = pod.metadata;
  const [container] = pod.spec.containers;
  const address: string = pod.status.podIP;
  const apiPort = await forwardTo(Number(new URL(plane.server).port));
  const { command, args } = inOwnRoot({
    name,
    program,
    args: container.args ?? [],
    files: {
      '/etc/hosts': `127.0.0.1 localhost\n${serviceAddress} ${apiHost}\n`,
      ...(await podFiles(plane.api, pod)),
    },
    address,
  });
  const env = {
    KUBERNETES_SERVICE_HOST: apiHost,
    KUBERNETES_SERVICE_PORT: String(apiPort),
    HOSTNAME: name,
    HOME: '/',
    TMPDIR: '/tmp',
    ...environment(pod),
  };
  const process = new BenchProcess({ name, command, args, env, folder: plane.folder });
  return process.start(() => ready(address));
}

function environment(pod: KubernetesObject): Record<string, string> {
  const fields: Record<string, string | undefined> = {
    'metadata.name': pod.metadata.name,
    'metadata.namespace': pod.metadata.namespace,
    'status.podIP': pod.status.podIP,
  };
  const wanted: EnvironmentVariable[] = pod.spec.containers[0].env ?? [];
  return Object.fromEntries(
    wanted.map(({ name, value = '', valueFrom }) => {
      const found = valueFrom === undefined ? value : fields[valueFrom.fieldRef?.fieldPath ?? ''];
      if (found === undefined) {
        throw new Error(`${name} of pod ${pod.metadata.name}: ${JSON.stringify(valueFrom)} is not supported`);
      }
      return [name, found];
    }),
  );
}

interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef?: { readonly fieldPath: string } };
}

/** The API server listens on loopback alone, where no pod reaches it: this hands its connections on. */
async function forwardTo(target: number): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((from) => {
    const to = connect(target, '127.0.0.1');
    for (const [each, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(each);
      each.on('error', () => other.destroy()).on('close', () => sockets.delete(each));
      each.pipe(other);
    }
  });
  const port = await freePort();
  await new Promise<void>((done, fail) => {
    server.once('error', fail).listen(port, serviceAddress, done);
  });
  onCleanUp(() => {
    server.close();
    sockets.forEach((each) => each.destroy());
  });
  return port;
}
