import { flag } from './app-fields';
import { shownUrl } from '../redaction';
import type { AppKey } from './private-key';
import type { RepositorySecret } from './repository-secret';

/** How Argo CD logs in with a GitHub App, and by which way. */
export interface AppCredential {
  /** Digits. */
  readonly appId: string;
  /** Digits. @default - Argo CD looks for the installation in the organisation of the URL */
  readonly installationId?: string;
  readonly key: AppKey;
  /** URL of the API, without a slash at its end. */
  readonly api: string;
  /** Whether any certificate of the server will do. */
  readonly insecure: boolean;
  /** Proxy of the Secret; it may hold a password. @default - the environment's */
  readonly proxy?: string;
  /** Hosts that are reached without that proxy. */
  readonly noProxy?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
}

/** API of github.com. */
const publicApi = 'https://api.github.com';

/**
 * The credential of a Secret whose fields were checked. Argo CD asks at the Enterprise URL as it stands there, or else at
 * api.github.com, whatever the repository's URL is.
 *
 * @see https://github.com/argoproj/argo-cd/blob/v3.3.4/util/git/creds.go
 */
export function appCredential({ fields }: RepositorySecret, key: AppKey): AppCredential {
  const { githubAppID = '', githubAppInstallationID, githubAppEnterpriseBaseUrl, proxy, noProxy } = fields;
  const { tlsClientCertData, tlsClientCertKey } = fields;
  const installation = Number(githubAppInstallationID ?? 0);
  return {
    appId: String(BigInt(githubAppID)),
    ...(installation === 0 ? {} : { installationId: String(BigInt(githubAppInstallationID!)) }),
    key,
    api: (githubAppEnterpriseBaseUrl || publicApi).replace(/(?<!\/)\/+$/, ''),
    insecure: flag(fields.insecure),
    ...(proxy ? { proxy } : {}),
    ...(proxy && noProxy ? { noProxy } : {}),
    ...(tlsClientCertData && tlsClientCertKey
      ? { clientCertificate: tlsClientCertData, clientKey: tlsClientCertKey }
      : {}),
  };
}

/** What tells two credentials apart, without their secrets. Whether a write Secret has them makes no difference. */
export function identityOf(credential: AppCredential): string {
  const {
    appId,
    installationId = '',
    key,
    api,
    insecure,
    proxy = '',
    noProxy = '',
    clientCertificate = '',
  } = credential;
  return JSON.stringify([
    appId,
    installationId,
    key.fingerprint,
    api,
    insecure,
    proxy,
    noProxy,
    clientCertificate,
  ]);
}

/** `App 12, installation 34, at https://api.github.com` */
export function describeCredential({ appId, installationId, api }: AppCredential): string {
  return `App ${appId}, installation ${installationId ?? 'of the organisation'}, at ${shownUrl(api)}`;
}
