/** The API server of an EKS cluster, and who asks it. */
export interface EksApiServer {
  /** Name of the EKS cluster. */
  readonly clusterName: string;
  /** AWS region of the cluster. */
  readonly region: string;
  /** URL of the API server. */
  readonly endpoint: string;
  /** The API server's certificate authority, PEM in base64. */
  readonly certificateAuthority: string;
  /** Proxy to the API server. */
  readonly proxyUrl?: string;
  /** AWS profile that `aws eks get-token` uses. @default - the environment's */
  readonly profile?: string;
  /** IAM role that `aws eks get-token` assumes. @default - none */
  readonly roleArn?: string;
}

/**
 * A kubeconfig without credentials: the AWS CLI makes a token whenever one is needed.
 *
 * @see https://docs.aws.amazon.com/eks/latest/userguide/create-kubeconfig.html
 */
export function eksKubeconfig(parts: EksApiServer): object {
  const { clusterName, region } = parts;
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: clusterName,
        cluster: {
          server: parts.endpoint,
          'certificate-authority-data': parts.certificateAuthority,
          ...(parts.proxyUrl ? { 'proxy-url': parts.proxyUrl } : {}),
        },
      },
    ],
    contexts: [{ name: clusterName, context: { cluster: clusterName, user: clusterName } }],
    'current-context': clusterName,
    users: [
      {
        name: clusterName,
        user: {
          exec: {
            apiVersion: 'client.authentication.k8s.io/v1beta1',
            command: 'aws',
            args: [
              ...['eks', 'get-token', '--cluster-name', clusterName, '--region', region, '--output', 'json'],
              ...(parts.roleArn ? ['--role-arn', parts.roleArn] : []),
            ],
            env: parts.profile ? [{ name: 'AWS_PROFILE', value: parts.profile }] : null,
            interactiveMode: 'Never',
          },
        },
      },
    ],
  };
}
