import type { ClusterAccess } from './cluster-access';
import type { ExecCredential } from './exec-credential';
import { execCredential } from './exec-credential';
import { textOf } from './material';

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
    private readonly access: ClusterAccess,
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
