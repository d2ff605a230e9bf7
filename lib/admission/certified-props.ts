import type { OptionsOf } from '../problems';
import type { CaInjection, ServingCertificate } from './ca-injection';
import { caInjectionKeys } from './ca-injection';
import type { WebhookServer, WebhookService } from './webhook-server';
import { webhookServerKeys, webhookServiceKeys } from './webhook-server';

/** What is called without a failure policy: while it can't be reached, what it is needed for fails. */
export interface CertifiedProps {
  /** The Service that the server stands behind. */
  readonly service: WebhookService;
  /** What is known of the server's pods: at least two replicas, and makes the PodDisruptionBudget. */
  readonly server: WebhookServer;
  /**
   * The certificate that the server serves: its CA is injected, and it must be valid for the Service. Give either this
   * or `caInjection`.
   * @default - `caInjection` is given
   */
  readonly certificate?: ServingCertificate;
  /**
   * Where the CA is injected from, for a certificate that is made elsewhere.
   * @default - from `certificate`
   */
  readonly caInjection?: CaInjection;
}

export const certifiedPropsKeys: OptionsOf<CertifiedProps> = {
  service: webhookServiceKeys,
  server: webhookServerKeys,
  certificate: 'open',
  caInjection: caInjectionKeys,
};
