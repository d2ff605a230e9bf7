import { holdsLogin, knownKeys, namesSecret, plainSecrets, proxyUrl, someText, textRule } from '../problems';
import { markerNumber } from '../tokens';
import type { OptionsOf } from '../problems';
import { base64, iamRoleArn } from './argo-rules';
import type { FieldChecks } from './field-checks';
import { checkSecretText } from './repository-credential';

/**
 * How Argo CD reaches and logs in to a cluster. Both ways get a short-lived credential when it is needed, so
 * none is stored; bearer tokens, passwords and client keys are not offered.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/#clusters
 */
export interface ClusterConfig {
  /** As an AWS IAM identity, for EKS; or `execProviderConfig`. @default - by `execProviderConfig` */
  readonly awsAuthConfig?: AwsAuthConfig;
  /** By a program in Argo CD's image; or `awsAuthConfig`. @default - by `awsAuthConfig` */
  readonly execProviderConfig?: ExecProviderConfig;
  /** How the API server is recognised. */
  readonly tlsClientConfig: TlsClientConfig;
  /** Proxy that the API server is reached through. @default - none */
  readonly proxyUrl?: string;
}

/** An AWS IAM identity that may enter the cluster. */
export interface AwsAuthConfig {
  /** Name of the EKS cluster. */
  readonly clusterName: string;
  /** ARN of the role to assume. @default - the identity of Argo CD's own pods */
  readonly roleARN?: string;
  /** Path of a file with AWS credentials that is mounted into Argo CD. @default - the pods' identity */
  readonly profile?: string;
}

const awsAuthConfigKeys: OptionsOf<AwsAuthConfig> = {
  clusterName: 'plain',
  roleARN: 'plain',
  profile: 'plain',
};

/** A program that prints a credential (client-go's exec plugin). */
export interface ExecProviderConfig {
  /** The program; it must be in Argo CD's image, as `argocd-k8s-auth` is. */
  readonly command: string;
  /** Its arguments. One that sounds like a secret takes a token of a deployment's output only. @default - none */
  readonly args?: readonly string[];
  /**
   * Its environment. A variable that sounds like a secret takes a token of a deployment's output only.
   * @default - Argo CD's own
   */
  readonly env?: Readonly<Record<string, string>>;
  /** Version of the exchange. @default 'client.authentication.k8s.io/v1beta1' */
  readonly apiVersion?: string;
  /** What Argo CD says when the program is missing. @default - nothing */
  readonly installHint?: string;
}

const execProviderConfigKeys: OptionsOf<ExecProviderConfig> = {
  command: 'plain',
  args: 'list',
  env: 'plain',
  apiVersion: 'plain',
  installHint: 'plain',
};

/** How the API server is recognised. Its certificate is always verified. */
export interface TlsClientConfig {
  /** The certificate authority: PEM in base64, as EKS gives it. */
  readonly caData: string;
  /** Name that the API server's certificate is for. @default - the host of the server's URL */
  readonly serverName?: string;
}

const tlsClientConfigKeys: OptionsOf<TlsClientConfig> = { caData: 'plain', serverName: 'plain' };

export const clusterConfigKeys: OptionsOf<ClusterConfig> = {
  awsAuthConfig: awsAuthConfigKeys,
  execProviderConfig: execProviderConfigKeys,
  tlsClientConfig: tlsClientConfigKeys,
  proxyUrl: 'plain',
};

/** https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html */
const eksClusterName = textRule(
  /^[0-9A-Za-z][0-9A-Za-z_-]{0,99}$/,
  'letters, digits, "-" and "_", a letter or digit at the start, at most 100 characters',
);

/** Checks how a cluster is reached. */
export function checkClusterConfig(checks: FieldChecks, path: string, config: ClusterConfig): void {
  // Argo CD would take more: stored credentials, and leave to skip verification.
  knownKeys(checks.problems, path, config, [
    'awsAuthConfig',
    'execProviderConfig',
    'tlsClientConfig',
    'proxyUrl',
  ]);
  checks.exactlyOne(path, config, ['awsAuthConfig', 'execProviderConfig']);
  if (config.awsAuthConfig) {
    const { clusterName, roleARN, profile } = config.awsAuthConfig;
    knownKeys(checks.problems, `${path}.awsAuthConfig`, config.awsAuthConfig, [
      'clusterName',
      'roleARN',
      'profile',
    ]);
    checks.required(`${path}.awsAuthConfig.clusterName`, clusterName, eksClusterName);
    checks.optional(`${path}.awsAuthConfig.roleARN`, roleARN, iamRoleArn);
    checks.optional(`${path}.awsAuthConfig.profile`, profile, someText);
  }
  if (config.execProviderConfig) {
    checkExec(checks, `${path}.execProviderConfig`, config.execProviderConfig);
  }
  checks.optionalSecretly(`${path}.proxyUrl`, config.proxyUrl, proxyUrl);
  const tls: Partial<TlsClientConfig> = config.tlsClientConfig ?? {};
  knownKeys(checks.problems, `${path}.tlsClientConfig`, tls, ['caData', 'serverName']);
  checks.required(`${path}.tlsClientConfig.caData`, tls.caData, base64);
  checks.optional(`${path}.tlsClientConfig.serverName`, tls.serverName, someText);
}

function checkExec(checks: FieldChecks, path: string, exec: ExecProviderConfig): void {
  knownKeys(checks.problems, path, exec, ['command', 'args', 'env', 'apiVersion', 'installHint']);
  checks.required(`${path}.command`, exec.command, someText);
  checkArguments(checks, `${path}.args`, exec.args ?? []);
  checks.optional(`${path}.apiVersion`, exec.apiVersion, someText);
  for (const [name, value] of Object.entries(exec.env ?? {})) {
    if (namesSecret(name)) {
      checkSecretText(checks, `${path}.env.${name}`, value);
    } else if (typeof value === 'string' && holdsLogin(value)) {
      checks.problems.addSecret(`${path}.env.${name}`, noSecret);
    }
  }
}

const noSecret = 'a text without a login or a secret in it: everybody who may read the Secret would see it';

function checkArguments(checks: FieldChecks, path: string, args: readonly string[]): void {
  const texts = args.map((each: unknown) => (typeof each === 'string' ? each : ''));
  const secrets = new Set(plainSecrets(texts, (text) => markerNumber(text) !== undefined));
  args.forEach((each, position) => {
    if (secrets.has(position)) {
      checks.problems.addSecret(`${path}[${position}]`, noSecret);
    } else {
      checks.required(`${path}[${position}]`, each, someText);
    }
  });
}

/** The configuration as Argo CD reads it. */
export function clusterConfigText(config: ClusterConfig): string {
  const { awsAuthConfig, execProviderConfig, tlsClientConfig, proxyUrl: proxy } = config;
  return JSON.stringify({
    awsAuthConfig,
    execProviderConfig: execProviderConfig && {
      apiVersion: 'client.authentication.k8s.io/v1beta1',
      ...execProviderConfig,
    },
    tlsClientConfig: { insecure: false, ...tlsClientConfig },
    proxyUrl: proxy,
  });
}
