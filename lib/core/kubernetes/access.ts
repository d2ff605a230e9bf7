import { access, readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import * as path from 'node:path';
import { FileRefused, readBoundedLater, utf8Text } from '../files/read';
import { Problems } from '../validation/problems';
import { longestYaml } from '../validation/yaml';
import { mergeKubeconfigs, readKubeconfig } from './kubeconfig';
import type { KubeconfigConnection, Kubeconfig } from './kubeconfig';
import { accessOf } from './kubeconfig-context';

/** A character has up to four bytes. */
const longestKubeconfig = 4 * longestYaml;

/**
 * Where the API server is and who asks it.
 *
 * @throws InvalidInput with everything that is wrong with the kubeconfig, or where there is none
 */
export async function findAccess(
  settings: KubernetesSettings,
  surroundings: KubeconfigEnvironment,
): Promise<KubeconfigConnection> {
  const problems = new Problems('kubeconfig');
  const source = settings.kubeconfigText === undefined ? 'kubeconfig' : 'kubeconfigText';
  const kubeconfig = await findKubeconfig(settings, surroundings, problems);
  problems.throwIfAny();
  if (!kubeconfig) {
    return serviceAccount(surroundings);
  }
  const found = accessOf(kubeconfig, source, problems, settings.context);
  problems.throwIfAny();
  return found!;
}

async function findKubeconfig(
  { kubeconfig, kubeconfigText }: KubernetesSettings,
  { env, home, serviceAccount: folder }: KubeconfigEnvironment,
  problems: Problems,
): Promise<Kubeconfig | undefined> {
  if (kubeconfigText !== undefined) {
    return readKubeconfig(kubeconfigText, 'kubeconfigText', problems);
  }
  if (kubeconfig !== undefined) {
    return fromFile(kubeconfig, problems);
  }
  const listed = (env.KUBECONFIG ?? '').split(path.delimiter).filter(Boolean);
  // Without a home it would be a file of the working folder, which somebody else may have filled.
  const usual = home === '' ? [] : [path.join(home, '.kube', 'config')];
  const present: string[] = [];
  for (const file of listed.length > 0 ? listed : usual) {
    if (await exists(file)) {
      present.push(file);
    }
  }
  if (present.length === 0 && (listed.length > 0 || !(await exists(path.join(folder, 'token'))))) {
    const looked =
      listed.length > 0
        ? `KUBECONFIG (${listed.join(', ')})`
        : `${usual[0] ?? 'home, as HOME is empty'}, and there is no service account`;
    problems.addSecret('kubeconfig', `the path of a kubeconfig: there is none at ${looked}`);
    return undefined;
  }
  const read = await Promise.all(present.map((file) => fromFile(file, problems)));
  const kubeconfigs = read.filter((each) => each !== undefined);
  return kubeconfigs.length > 0 ? mergeKubeconfigs(kubeconfigs) : undefined;
}

async function fromFile(file: string, problems: Problems): Promise<Kubeconfig | undefined> {
  const absolute = path.resolve(file);
  let text: string;
  try {
    text = utf8Text(await readBoundedLater(absolute, longestKubeconfig), absolute);
  } catch (error) {
    problems.add('kubeconfig', file, `a file that can be read (${reasonOf(error)})`);
    return undefined;
  }
  return readKubeconfig(text, `kubeconfig ${file}`, problems, path.dirname(absolute));
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return error instanceof FileRefused ? error.reason : (code ?? message);
}

/** @see https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/ */
async function serviceAccount({
  env,
  serviceAccount: folder,
}: KubeconfigEnvironment): Promise<KubeconfigConnection> {
  const { KUBERNETES_SERVICE_HOST: host = 'kubernetes.default.svc', KUBERNETES_SERVICE_PORT: port = '443' } =
    env;
  const namespace = await readFile(path.join(folder, 'namespace'), 'utf8').catch(() => '');
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    certificateAuthority: { file: path.join(folder, 'ca.crt') },
    ...(namespace.trim() ? { namespace: namespace.trim() } : {}),
    user: { token: { file: path.join(folder, 'token') } },
  };
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

/** Which API server is meant, and as whom it is asked. */
export interface KubernetesSettings {
  /**
   * Path of a kubeconfig file.
   *
   * @default - the files that KUBECONFIG lists, else `~/.kube/config`, else the service account of the pod
   */
  readonly kubeconfig?: string;
  /** The kubeconfig itself, as YAML or JSON; a secret where it holds credentials. @default - none */
  readonly kubeconfigText?: string;
  /** Context of the kubeconfig. @default - its current one */
  readonly context?: string;
}

/** Where kubeconfigs are looked for. */
export interface KubeconfigEnvironment {
  readonly env: NodeJS.ProcessEnv;
  /** Home folder of the user. */
  readonly home: string;
  /** Folder of a pod's service account. */
  readonly serviceAccount: string;
}

/** Whether settings name no cluster: then it is the one that the plan runs in. */
export function isOwnCluster({ kubeconfig, context }: KubernetesSettings): boolean {
  return kubeconfig === undefined && context === undefined;
}
