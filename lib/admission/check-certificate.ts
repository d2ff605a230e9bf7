import type { Problems } from '../problems';
import type { CaInjection, ServingCertificate } from './ca-injection';
import { checkCaInjection } from './ca-injection';
import type { WebhookService } from './webhook-server';

/** What the API server calls behind TLS, and where it gets the CA from. */
export interface CalledService {
  /** The Service that is called. */
  readonly service: WebhookService;
  /** The certificate that the server serves. */
  readonly certificate?: ServingCertificate;
  /** Where the CA is injected from, in place of `certificate`. */
  readonly caInjection?: CaInjection;
}

/** Where the CA comes from, in a call that was checked. */
export function injectionOf({ certificate, caInjection }: CalledService): CaInjection {
  return certificate?.caInjection ?? caInjection!;
}

/** Adds what would leave a call without a CA, with one of two, or with a certificate for another name. */
export function checkCertificate(problems: Problems, called: CalledService): void {
  const { certificate, caInjection, service } = called;
  if ((certificate === undefined) === (caInjection === undefined)) {
    problems.addAll([
      {
        path: certificate ? 'caInjection' : 'certificate',
        allowed: certificate
          ? 'left out where certificate is given'
          : 'given, or else caInjection: without a CA every call fails',
      },
    ]);
  }
  if (caInjection) {
    checkCaInjection(problems, 'caInjection', caInjection);
  }
  if (certificate) {
    checkCaInjection(problems, 'certificate.caInjection', certificate.caInjection);
    const needed = `${service.name}.${service.namespace}.svc`;
    if (!certificate.dnsNames.includes(needed)) {
      problems.add(
        'certificate.dnsNames',
        certificate.dnsNames,
        `valid for ${needed}, which the API server calls`,
      );
    }
  }
}
