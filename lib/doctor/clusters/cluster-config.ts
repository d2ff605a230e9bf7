import { isMapping } from '../../problems';
import { GoObject } from './go-json';

/**
 * How Argo CD reaches and logs in to a cluster. It holds credentials: nothing of it gets into a finding but names.
 *
 * @see https://github.com/argoproj/argo-cd/blob/v3.3.4/pkg/apis/application/v1alpha1/types.go (ClusterConfig)
 */
export interface ClusterConfig {
  readonly login: ClusterLogin;
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
export type ClusterLogin =
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
export function readClusterConfig(
  text: string,
): { readonly config: ClusterConfig } | { readonly faults: readonly string[] } {
  let value: unknown;
  try {
    value = JSON.parse(text === '' ? '{}' : text);
  } catch {
    return { faults: ['config must be JSON'] };
  }
  if (!isMapping(value)) {
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

function loginOf(root: GoObject, tls: GoObject | undefined): ClusterLogin {
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
  // Argo CD looks at them in this order.
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
function programLogin(program: GoObject): ClusterLogin {
  const [command, args, env] = [program.text('command'), program.texts('args'), program.textsByName('env')];
  program.text('apiVersion');
  const name = command.split('/').at(-1) ?? '';
  const verbs = name === 'aws' ? ['eks', 'get-token'] : name === 'argocd-k8s-auth' ? ['aws'] : undefined;
  const other: ClusterLogin = { by: 'program', command: name };
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
