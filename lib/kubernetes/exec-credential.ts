import { isMapping } from '../problems';
import type { ProgramEnd } from '../programs';
import { runProgram } from '../programs';
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
/** No credential is longer; in bytes. */
const longest = 1_000_000;
/** A plugin that has to end has little to clean up. In milliseconds. */
const grace = 1_000;

/**
 * Runs a credential plugin. What it writes to stdout is a secret and appears nowhere.
 *
 * @param timeout in milliseconds; it is stopped then
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

async function run(plugin: ExecPlugin, env: NodeJS.ProcessEnv, timeoutMs: number): Promise<string> {
  const end = await runProgram({
    program: plugin.command,
    args: plugin.args,
    env,
    timeoutMs,
    graceMs: grace,
    stdout: { bytes: longest, beyond: 'stop' },
    stderr: { bytes: 2_000, beyond: 'keepEnd' },
  });
  if (end.how === 'exited' && end.status === 0) {
    return end.stdout.toString('utf8');
  }
  throw failed(plugin, whyNot(end, plugin, timeoutMs));
}

function whyNot(end: ProgramEnd, { installHint = '' }: ExecPlugin, timeoutMs: number): string {
  switch (end.how) {
    case 'notStarted':
      return end.code === 'ENOENT'
        ? `is not installed. ${installHint}`.trim()
        : `could not be started: ${end.code}`;
    case 'timedOut':
      return `did not end within ${timeoutMs / 1000} s`;
    case 'tooMuch':
      return `wrote more than ${longest} bytes`;
    case 'exited':
    case 'signalled': {
      const status = end.how === 'exited' ? end.status : end.signal;
      return `ended with status ${status}: ${lastLine(end.stderr.toString('utf8'))}`;
    }
    case 'cancelled':
      return 'was interrupted';
  }
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
