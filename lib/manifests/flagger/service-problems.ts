import { dnsSubdomain } from '../../core/validation/formats';
import type { Problems, Format } from '../../core/validation/problems';
import type { CanaryMatch } from './canary-analysis';
import { serviceFields } from './canary-service';
import type { CanaryService, TextMatch } from './canary-service';
import { supportedBy, isGatewayApi } from './provider';
import type { CanaryProvider } from './provider';

const kinds = ['exact', 'prefix', 'suffix', 'regex'] as const;

/** Which comparisons a provider knows. */
type Known = readonly (typeof kinds)[number][];

/** The Gateway API compares headers and parameters by `exact` and `regex` only. */
const knownBy = (provider: CanaryProvider): Known => (isGatewayApi(provider) ? ['exact', 'regex'] : kinds);

/**
 * Checks whose requests see the new version.
 *
 * With the Gateway API, Flagger leaves out what it can't write, and an entry that is empty then sends **every** request to the
 * new version.
 * @see https://github.com/fluxcd/flagger/blob/v1.44.0/pkg/router/gateway_api.go
 */
export function checkCanaryMatch(
  problems: Problems,
  path: string,
  match: CanaryMatch,
  provider: CanaryProvider,
): void {
  checkTexts(problems, `${path}.headers`, match.headers, knownBy(provider));
  checkTexts(problems, `${path}.queryParams`, match.queryParams, knownBy(provider));
  if (match.sourceLabels !== undefined && provider !== 'istio') {
    problems.add(
      `${path}.sourceLabels`,
      match.sourceLabels,
      "left out: only Istio knows the caller's labels",
    );
  }
}

function checkTexts(
  problems: Problems,
  path: string,
  matches: Readonly<Record<string, TextMatch>> | undefined,
  known: Known,
): void {
  for (const [name, match] of Object.entries(matches ?? {})) {
    checkText(problems, `${path}.${name}`, match, known);
  }
}

function checkText(problems: Problems, path: string, match: TextMatch | undefined, known: Known): void {
  const given = kinds.filter((kind) => match?.[kind] !== undefined);
  if (match !== undefined && (given.length !== 1 || !known.includes(given[0]!))) {
    problems.add(path, match, `one of ${known.map((each) => `"${each}"`).join(', ')} with a text`);
  }
}

/** @see https://gateway-api.sigs.k8s.io/reference/spec/#hostname */
const gatewayHost: Format<string> = {
  allowed: 'a host name such as "www.example.com" or "*.example.com"',
  accepts: (value) => dnsSubdomain.accepts(value.replace(/^\*\./, '')),
};

/** Checks what a provider makes of the Services, and of the route to them. */
export function checkCanaryService(
  problems: Problems,
  path: string,
  service: CanaryService,
  provider: CanaryProvider,
): void {
  const { hosts = [], gatewayRefs = [], match = [] } = service;
  const gateway = isGatewayApi(provider);
  supportedBy(problems, path, service, serviceFields, provider);
  if (gateway) {
    hosts.forEach((host, position) => problems.check(`${path}.hosts[${position}]`, host, gatewayHost));
    if (gatewayRefs.length === 0) {
      problems.add(
        `${path}.gatewayRefs`,
        service.gatewayRefs,
        'a list with at least one Gateway: the route has to belong to one',
      );
    }
  }
  match.forEach(({ uri, method, headers, queryParams }, position) => {
    const at = `${path}.match[${position}]`;
    checkText(problems, `${at}.uri`, uri, gateway ? ['exact', 'prefix', 'regex'] : kinds);
    checkText(problems, `${at}.method`, method, gateway ? ['exact'] : kinds);
    checkTexts(problems, `${at}.headers`, headers, knownBy(provider));
    checkTexts(problems, `${at}.queryParams`, queryParams, knownBy(provider));
  });
}
