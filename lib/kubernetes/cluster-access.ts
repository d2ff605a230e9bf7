/** How one API server is reached and who asks it: one context of a kubeconfig, with paths made absolute. */
export interface ClusterAccess {
  /** `https://HOST:PORT` */
  readonly server: string;
  /** Certificate authorities of the server. @default - those that this machine trusts */
  readonly certificateAuthority?: Material;
  /** Name that the server's certificate has to carry. @default - the server's host */
  readonly serverName?: string;
  /** Whether any certificate will do. @default false */
  readonly insecure?: boolean;
  /** `http:`, `https:` or `socks5:`. @default - HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment */
  readonly proxyUrl?: string;
  /** Of objects that name none. @default 'default' */
  readonly namespace?: string;
  readonly user: ClusterUser;
}

/** Who asks. An empty one is anonymous. */
export interface ClusterUser {
  readonly token?: Material;
  readonly certificate?: Material;
  readonly key?: Material;
  readonly password?: { readonly username: string; readonly password: string };
  readonly exec?: ExecPlugin;
  /** Headers that ask the server to act as another user. */
  readonly impersonation?: Readonly<Record<string, string | readonly string[]>>;
}

/** Text that stands in the kubeconfig, or in a file that may change while a program runs. */
export type Material = { readonly text: string } | { readonly file: string };

/**
 * A program that hands out credentials.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 */
export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What to tell a user who does not have the program. */
  readonly installHint?: string;
  /** Whether the program is told which cluster it is asked for. */
  readonly provideClusterInfo: boolean;
}
