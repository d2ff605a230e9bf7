import type { KubernetesObject } from '../../../core/kubernetes/api';
import { fleetLabel } from '../../../core/names';
import { isPlainObject } from '../../../core/validation/problems';

/**
 * Reads an object of JSON as Go does: keys are compared without regard to case, `null` is nothing, and a value of another
 * type makes all of it unreadable.
 *
 * @see https://pkg.go.dev/encoding/json#Unmarshal
 */
class GoObject {
  private readonly asked = new Set<string>();

  /** @param faults is added to: what is of the wrong type, with its path */
  public constructor(
    private readonly value: Readonly<Record<string, unknown>>,
    private readonly path: string,
    private readonly faults: string[],
  ) {}

  public text(key: string): string {
    const found = this.of(key);
    if (found === undefined || typeof found === 'string') {
      return found ?? '';
    }
    return this.wrong(key, 'a text', '');
  }

  public boolean(key: string): boolean {
    const found = this.of(key);
    if (found === undefined || typeof found === 'boolean') {
      return found ?? false;
    }
    return this.wrong(key, 'true or false, without quotes', false);
  }

  /** Bytes in base64. */
  public bytes(key: string): string {
    const text = this.text(key).replace(/[\r\n]/g, '');
    const padded = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);
    return padded ? text : this.wrong(key, 'base64 with its padding', '');
  }

  public texts(key: string): readonly string[] {
    const found = this.of(key);
    if (found === undefined) {
      return [];
    }
    return Array.isArray(found) && found.every((each) => typeof each === 'string')
      ? found
      : this.wrong(key, 'a list of texts', []);
  }

  /** Texts by name. */
  public textsByName(key: string): Readonly<Record<string, string>> {
    const found = this.of(key);
    if (found === undefined) {
      return {};
    }
    return isPlainObject(found) && Object.values(found).every((each) => typeof each === 'string')
      ? (found as Readonly<Record<string, string>>)
      : this.wrong(key, 'texts by name', {});
  }

  public object(key: string): GoObject | undefined {
    const found = this.of(key);
    if (found === undefined) {
      return undefined;
    }
    return isPlainObject(found)
      ? new GoObject(found, `${this.path}.${key}`, this.faults)
      : this.wrong(key, 'an object', undefined);
  }

  /** Keys that nobody asked for: Go leaves them out without a word. */
  public get unknown(): readonly string[] {
    return Object.keys(this.value).filter((key) => !this.asked.has(key.toLowerCase()));
  }

  private of(key: string): unknown {
    const wanted = key.toLowerCase();
    this.asked.add(wanted);
    const [, found] = Object.entries(this.value).find(([name]) => name.toLowerCase() === wanted) ?? [];
    return found ?? undefined;
  }

  /** The value itself may be a credential. */
  private wrong<Value>(key: string, what: string, instead: Value): Value {
    this.faults.push(`${this.path}.${key} must be ${what}`);
    return instead;
  }
}

/**
 * How Argo CD reaches and logs in to a cluster. It holds credentials: nothing of it gets into a finding but names.
 *
 * @see https://github.com/argoproj/argo-cd/blob/v3.3.4/pkg/apis/application/v1alpha1/types.go (ClusterConfig)
 */
export interface RegisteredClusterConfig {
  readonly login: RegisteredClusterLogin;
  /** Whether any certificate will do. */
  readonly insecure: boolean;
  /** Name that the server's certificate has to carry. @default - the server's host */
  readonly serverName?: string;
  /** PEM in base64. @default - the authorities of Argo CD's image */
  readonly caData?: string;
  /** @default - that of the environment of Argo CD's pods */
  readonly proxyUrl?: string;
  /** Keys that Argo CD does not know and leaves out. */
  readonly unknown: readonly string[];
}

/** How Argo CD says who it is. */
export type RegisteredClusterLogin =
  | { readonly by: 'token'; readonly token: string }
  | { readonly by: 'password'; readonly username: string; readonly password: string }
  /** PEM in base64. */
  | { readonly by: 'certificate'; readonly certificate: string; readonly key: string }
  | EksLogin
  /** A program of Argo CD's image, whose name may be shown. It is never run here. */
  | { readonly by: 'program'; readonly command: string }
  | { readonly by: 'nothing' }
  /** Fields that exclude each other: Argo CD can't make a client of them. */
  | { readonly by: 'faulty'; readonly why: string };

/** An identity of AWS that may enter an EKS cluster. */
export interface EksLogin {
  readonly by: 'eks';
  readonly clusterName: string;
  /** @default - the identity of Argo CD's pods */
  readonly roleArn?: string;
  /** Credentials that are mounted into Argo CD. @default - none */
  readonly profile?: string;
  /** @default - that of Argo CD's pods */
  readonly region?: string;
}

/**
 * Reads the key `config` of a cluster Secret, as Argo CD does.
 *
 * @returns what is wrong, without any value of it
 */
function readClusterConfig(
  text: string,
): { readonly config: RegisteredClusterConfig } | { readonly faults: readonly string[] } {
  let value: unknown;
  try {
    value = JSON.parse(text === '' ? '{}' : text);
  } catch {
    return { faults: ['config must be JSON'] };
  }
  if (!isPlainObject(value)) {
    return { faults: ['config must be an object of JSON'] };
  }
  const faults: string[] = [];
  const root = new GoObject(value, 'config', faults);
  const tls = root.object('tlsClientConfig');
  const settings = {
    insecure: tls?.boolean('insecure') ?? false,
    serverName: tls?.text('serverName') ?? '',
    caData: tls?.bytes('caData') ?? '',
    proxyUrl: root.text('proxyUrl'),
  };
  const login = loginOf(root, tls);
  root.boolean('disableCompression');
  const unknown = [...root.unknown, ...(tls?.unknown ?? []).map((key) => `tlsClientConfig.${key}`)];
  if (faults.length > 0) {
    return { faults };
  }
  const { insecure, ...texts } = settings;
  const given = Object.fromEntries(Object.entries(texts).filter(([, each]) => each !== ''));
  return { config: { login, insecure, ...given, unknown } };
}

function loginOf(root: GoObject, tls: GoObject | undefined): RegisteredClusterLogin {
  const [username, password, token] = [
    root.text('username'),
    root.text('password'),
    root.text('bearerToken'),
  ];
  const [certificate, key] = [tls?.bytes('certData') ?? '', tls?.bytes('keyData') ?? ''];
  const aws = root.object('awsAuthConfig');
  const program = root.object('execProviderConfig');
  const byAws = aws && eksLogin(aws.text('clusterName'), aws.text('roleARN'), aws.text('profile'));
  const byProgram = program && programLogin(program);
  // Argo CD inspects them in this order.
  if (byAws ?? byProgram) {
    return (byAws ?? byProgram)!;
  }
  if (token !== '' && (username !== '' || password !== '')) {
    return { by: 'faulty', why: 'username and password, or bearerToken, may be set, but not both' };
  }
  if ((certificate === '') !== (key === '')) {
    return { by: 'faulty', why: 'certData and keyData need each other' };
  }
  if (token !== '') {
    return { by: 'token', token };
  }
  if (username !== '') {
    return { by: 'password', username, password };
  }
  return certificate === '' ? { by: 'nothing' } : { by: 'certificate', certificate, key };
}

function eksLogin(clusterName: string, roleArn = '', profile = '', region = ''): EksLogin {
  return {
    by: 'eks',
    clusterName,
    ...(roleArn === '' ? {} : { roleArn }),
    ...(profile === '' ? {} : { profile }),
    ...(region === '' ? {} : { region }),
  };
}

/** Programs that do nothing but what `awsAuthConfig` does: their token is made here, without running them. */
function programLogin(program: GoObject): RegisteredClusterLogin {
  const [command, args, env] = [program.text('command'), program.texts('args'), program.textsByName('env')];
  program.text('apiVersion');
  const name = command.split('/').at(-1) ?? '';
  const verbs = name === 'aws' ? ['eks', 'get-token'] : name === 'argocd-k8s-auth' ? ['aws'] : undefined;
  const other: RegisteredClusterLogin = { by: 'program', command: name };
  if (!verbs) {
    return other;
  }
  const words = args.flatMap((each) =>
    each.startsWith('--') && each.includes('=')
      ? [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)]
      : [each],
  );
  const given = new Map<string, string>();
  const rest: string[] = [];
  for (let position = 0; position < words.length; position += 1) {
    const word = words[position]!;
    if (word.startsWith('--')) {
      given.set(word, words[(position += 1)] ?? '');
    } else {
      rest.push(word);
    }
  }
  const known = ['--cluster-name', '--role-arn', '--profile', '--region', '--output'];
  const clusterName = given.get('--cluster-name') ?? '';
  const foreign = [...given.keys()].some((flag) => !known.includes(flag));
  if (rest.join(' ') !== verbs.join(' ') || clusterName === '' || foreign) {
    return other;
  }
  return eksLogin(
    clusterName,
    given.get('--role-arn'),
    given.get('--profile') ?? env.AWS_PROFILE,
    given.get('--region') ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION,
  );
}

/** A cluster Secret as Argo CD reads it. */
export interface RegisteredCluster {
  /** `argocd/blue` */
  readonly secret: string;
  /** Name of the cluster in Argo CD; empty where none is given. */
  readonly name: string;
  /** Address without slashes at its end; empty where none is given. */
  readonly server: string;
  /** Namespaces that Argo CD is limited to; none for all. */
  readonly namespaces: readonly string[];
  /** @default - the Secret names none */
  readonly fleet?: string;
  /** @default - it can't be read */
  readonly config?: RegisteredClusterConfig;
  /** Why the configuration can't be read, without values of it. */
  readonly faults: readonly string[];
}

/** Selects the Secrets of clusters. */
export const clusterSecretSelector = 'argocd.argoproj.io/secret-type=cluster';

/**
 * Reads a cluster Secret, whatever is in it.
 *
 * @see https://github.com/argoproj/argo-cd/blob/v3.3.4/util/db/cluster.go (SecretToCluster)
 */
export function registrationOf({ metadata, data }: KubernetesObject): RegisteredCluster {
  const { name, namespace = '', labels } = metadata;
  const values = isPlainObject(data) ? data : {};
  const text = (key: string): string => {
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '';
  };
  const read = readClusterConfig(text('config'));
  const fleet: unknown = labels?.[fleetLabel];
  return {
    secret: `${namespace}/${name}`,
    name: text('name'),
    server: text('server').replace(/(?<!\/)\/+$/, ''),
    namespaces: text('namespaces')
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== ''),
    ...(typeof fleet === 'string' && fleet !== '' ? { fleet } : {}),
    ...('config' in read ? { config: read.config, faults: [] } : { faults: read.faults }),
  };
}

/** What a registration's server is. */
export type ServerKind =
  /** Argo CD's own cluster, by the address that pods have for it. */
  | { readonly is: 'own' }
  /** The managed Argo CD of EKS knows clusters by their ARNs. */
  | { readonly is: 'arn'; readonly arn: string }
  | { readonly is: 'url'; readonly url: URL }
  | { readonly is: 'faulty' };

/** What a registration's server is. */
export function serverKind({ server }: Pick<RegisteredCluster, 'server'>): ServerKind {
  if (server === 'https://kubernetes.default.svc') {
    return { is: 'own' };
  }
  if (/^arn:aws[a-z-]*:eks:[a-z0-9-]+:\d{12}:cluster\/[\w-]+$/.test(server)) {
    return { is: 'arn', arn: server };
  }
  const url = URL.canParse(server) ? new URL(server) : undefined;
  return url?.protocol === 'https:' && url.hostname !== '' ? { is: 'url', url } : { is: 'faulty' };
}

/** How a registration is called in findings: its Secret, which is what has to be changed. */
export function secretTitle({ secret }: Pick<RegisteredCluster, 'secret'>): string {
  return `Secret ${secret}`;
}

/** The host of an address, for people: a URL may hold a user's name and password. */
export function shownServer(registration: Pick<RegisteredCluster, 'server'>): string {
  const kind = serverKind(registration);
  return kind.is === 'url' ? kind.url.origin : kind.is === 'faulty' ? 'no https URL' : registration.server;
}
