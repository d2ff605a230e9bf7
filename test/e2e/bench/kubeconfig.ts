import type { Access } from './https-json';

/** A kubeconfig with one cluster and one user; JSON is YAML, too. */
export interface Kubeconfig {
  readonly apiVersion: 'v1';
  readonly kind: 'Config';
  readonly clusters: readonly [
    {
      readonly name: string;
      readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string };
    },
  ];
  readonly users: readonly [
    {
      readonly name: string;
      readonly user: {
        readonly 'client-certificate-data'?: string;
        readonly 'client-key-data'?: string;
      };
    },
  ];
  readonly contexts: readonly [
    { readonly name: string; readonly context: { readonly cluster: string; readonly user: string } },
  ];
  readonly 'current-context': string;
}

/** The kubeconfig for an API server. */
export function kubeconfigOf(cluster: string, user: string, access: Access): Kubeconfig {
  const { server, certificateAuthority, certificate, key } = access;
  const encoded = (pem?: string) => (pem === undefined ? undefined : Buffer.from(pem).toString('base64'));
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: cluster,
        cluster: { server, 'certificate-authority-data': encoded(certificateAuthority)! },
      },
    ],
    users: [
      {
        name: user,
        user: { 'client-certificate-data': encoded(certificate), 'client-key-data': encoded(key) },
      },
    ],
    contexts: [{ name: cluster, context: { cluster, user } }],
    'current-context': cluster,
  };
}
