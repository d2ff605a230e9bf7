import type { AppCredential } from './app-credential';

/** What is known of whose token was asked for. */
export interface DiagnosedCredential {
  readonly credential: AppCredential;
  /** Organisation or user of the Secret's URL. @default - the URL has none */
  readonly owner?: string;
  /** Whether the request went by a proxy. */
  readonly proxied: boolean;
}
