import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { isMapping } from '../problems';
import type { ClusterAccess, ExecPlugin } from './cluster-access';
import { KubernetesError } from './kubernetes-error';
import { textOf } from './material';

/** What a plugin hands out. */
export interface ExecCredential {
  readonly token?: string;
  /** PEM, with its key. */
  readonly certificate?: string;
  readonly key?: string;
  /** In milliseconds since 1970. @default - until the server refuses it */
  readonly expiresAt?: number;
}

/** Long enough for a login behind a slow proxy. In milliseconds. */
const limit = 60_000;
/** No credential is longer; in characters. */
const longest = 1_000_000;

/**
 * Runs a credential plugin. What it writes to stdout is a secret and appears nowhere.
 *
 * @param timeout in milliseconds; it is killed then
 * @throws KubernetesError `unauthenticated`, with the plugin's name and the end of its stderr
 * @see https://kubernetes.io/docs/reference/config-api/client-authentication.v1/
 */
export async function execCredential(
  plugin: ExecPlugin,
  access: ClusterAccess,
  timeout = limit,
): Promise<ExecCredential> {
  const info = JSON.stringify({
    apiVersion: plugin.apiVersion,
    kind: 'ExecCredential',
    spec: {
      interactive: false,
      ...(plugin.provideClusterInfo ? { cluster: await clusterInfo(access) } : {}),
    },
  });
  const output = await run(plugin, { ...process.env, ...plugin.env, KUBERNETES_EXEC_INFO: info }, timeout);
  return credentialIn(output, plugin);
}

async function clusterInfo(access: ClusterAccess): Promise<object> {
  const authority = await textOf(access.certificateAuthority);
  return {
    server: access.server,
    ...(authority === undefined
      ? {}
      : { 'certificate-authority-data': Buffer.from(authority).toString('base64') }),
    ...(access.serverName === undefined ? {} : { 'tls-server-name': access.serverName }),
    ...(access.insecure ? { 'insecure-skip-tls-verify': true } : {}),
    ...(access.proxyUrl === undefined ? {} : { 'proxy-url': access.proxyUrl }),
  };
}

function run(plugin: ExecPlugin, env: NodeJS.ProcessEnv, timeout: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = started(plugin, env);
    if (child.pid === undefined) {
      // It has no pipes either where the system has no more of them.
      child.on('error', (error: NodeJS.ErrnoException) => reject(notStarted(plugin, error)));
      return;
    }
    // The timer of `spawn` itself goes on where the program could not be started.
    const end = (why: string): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      // What it has started itself may hold these open.
      child.stdout.destroy();
      child.stderr.destroy();
      reject(failed(plugin, why));
    };
    const timer = setTimeout(() => end(`did not end within ${timeout / 1000} s`), timeout);
    let output = '';
    let complaint = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      output += part;
      if (output.length > longest) {
        output = '';
        end(`wrote more than ${longest} characters`);
      }
    });
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      complaint = (complaint + part).slice(-2_000);
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(notStarted(plugin, error));
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) {
        resolve(output);
      } else {
        reject(failed(plugin, `ended with status ${code ?? signal}: ${lastLine(complaint)}`));
      }
    });
  });
}

/** @throws KubernetesError where the system takes no such program, arguments or environment */
function started(plugin: ExecPlugin, env: NodeJS.ProcessEnv): ChildProcessByStdio<null, Readable, Readable> {
  try {
    return spawn(plugin.command, plugin.args, {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
  } catch (error) {
    throw notStarted(plugin, error as NodeJS.ErrnoException);
  }
}

function notStarted(plugin: ExecPlugin, { code }: NodeJS.ErrnoException): KubernetesError {
  const why = code === 'ENOENT' ? `is not installed. ${plugin.installHint ?? ''}`.trim() : code;
  return failed(plugin, why ?? 'could not be started');
}

function credentialIn(output: string, plugin: ExecPlugin): ExecCredential {
  let answer: unknown;
  try {
    answer = JSON.parse(output);
  } catch {
    throw failed(plugin, 'wrote something that is not JSON');
  }
  const status = isMapping(answer) && isMapping(answer.status) ? answer.status : {};
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } = status;
  const paired = typeof clientCertificateData === 'string' && typeof clientKeyData === 'string';
  if (typeof token !== 'string' && !paired) {
    throw failed(plugin, 'handed out neither a token nor a client certificate with its key');
  }
  const expiresAt = typeof expirationTimestamp === 'string' ? Date.parse(expirationTimestamp) : NaN;
  return {
    ...(typeof token === 'string' ? { token } : {}),
    ...(paired ? { certificate: clientCertificateData, key: clientKeyData } : {}),
    ...(Number.isNaN(expiresAt) ? {} : { expiresAt }),
  };
}

function failed(plugin: ExecPlugin, why: string): KubernetesError {
  return new KubernetesError('unauthenticated', `The credential plugin "${plugin.command}" ${why}`);
}

/** Words as long as a token are left out. */
function lastLine(text: string): string {
  const line = text.trim().split('\n').pop() ?? '';
  return line.replace(/\S{80,}/g, '…').slice(0, 300) || 'it said nothing';
}
