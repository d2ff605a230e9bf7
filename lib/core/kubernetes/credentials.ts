import { FileRefused, readBoundedLater } from '../files/read';
import { runProgram } from '../process/run-program';
import type { ProgramEnd } from '../process/run-program';
import { isPlainObject } from '../validation/problems';
import { KubernetesError } from './errors';
import type { KubeconfigConnection, ExecPlugin, TextOrFile } from './kubeconfig';

/** No token and no bundle of authorities is longer; in bytes. */
const longestMaterial = 4_000_000;

/**
 * The text itself; a file is read anew each time, since tokens and certificates in files are renewed.
 *
 * @throws KubernetesError `unauthenticated` where the file can't be read
 */
export async function textOf(material: TextOrFile | undefined): Promise<string | undefined> {
  if (material === undefined || 'text' in material) {
    return material?.text;
  }
  try {
    return (await readBoundedLater(material.file, longestMaterial)).toString('utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = error instanceof FileRefused ? error.reason : (code ?? message);
    throw new KubernetesError(
      'unauthenticated',
      `The kubeconfig refers to ${material.file}, which can't be read: ${reason}`,
      undefined,
      { cause: error },
    );
  }
}

/** What a plugin hands out. */
interface ExecCredential {
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
const longestCredential = 1_000_000;

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
  access: KubeconfigConnection,
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

async function clusterInfo(access: KubeconfigConnection): Promise<object> {
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
    stdout: { bytes: longestCredential, beyond: 'stop' },
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
      return `wrote more than ${longestCredential} bytes`;
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
  const status = isPlainObject(answer) && isPlainObject(answer.status) ? answer.status : {};
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

/** What a request carries to say who asks. */
export interface Credential {
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /** PEM of the client certificate, with its key. */
  readonly certificate?: string;
  readonly key?: string;
}

/** Hands out credentials that are fresh enough to use. */
export interface CredentialSource {
  /** @throws KubernetesError `unauthenticated` where there are none to be had */
  current(): Promise<Credential>;
  /** The server did not accept the last one: the next one is a new one. Answers whether that can be. */
  renew(): boolean;
}

/** A credential is not used in its last minute: clocks differ, and the request takes its time. */
const margin = 60_000;

/** The credentials of a kubeconfig's user: files are read anew for every request, plugins run when it is time. */
export class UserCredentials implements CredentialSource {
  private handedOut: Promise<ExecCredential> | undefined;

  public constructor(
    private readonly access: KubeconfigConnection,
    private readonly now: () => number = Date.now,
  ) {}

  public async current(): Promise<Credential> {
    const { user } = this.access;
    const given = user.exec ? await this.fromPlugin() : undefined;
    const token = given?.token ?? (await textOf(user.token))?.trim();
    const certificate = given?.certificate ?? (await textOf(user.certificate));
    const key = given?.key ?? (await textOf(user.key));
    const authorization = token ? `Bearer ${token}` : basic(user.password);
    return {
      headers: { ...user.impersonation, ...(authorization ? { authorization } : {}) },
      ...(certificate === undefined ? {} : { certificate }),
      ...(key === undefined ? {} : { key }),
    };
  }

  public renew(): boolean {
    this.handedOut = undefined;
    const { exec, token } = this.access.user;
    return exec !== undefined || (token !== undefined && 'file' in token);
  }

  /** One run of the plugin serves all requests that wait for it. */
  private async fromPlugin(): Promise<ExecCredential> {
    const last = this.handedOut;
    if (last) {
      const credential = await last;
      if (credential.expiresAt === undefined || credential.expiresAt - margin > this.now()) {
        return credential;
      }
    }
    if (this.handedOut === last) {
      const run = execCredential(this.access.user.exec!, this.access);
      this.handedOut = run;
      run.catch(() => {
        if (this.handedOut === run) {
          this.handedOut = undefined;
        }
      });
    }
    return this.handedOut!;
  }
}

function basic(
  password: { readonly username: string; readonly password: string } | undefined,
): string | undefined {
  return password && `Basic ${Buffer.from(`${password.username}:${password.password}`).toString('base64')}`;
}
