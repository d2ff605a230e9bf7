import { parseDuration } from '../../core/durations';
import { dnsLabel, dnsSubdomain, labelKey, oneOf, port, trueOrFalse } from '../../core/validation/formats';
import type { Problems, Format } from '../../core/validation/problems';
import type { CanaryMatch } from './canary-analysis';
import { serviceFields } from './canary-service';
import type { CanaryService, GatewayRef, RequestMatch, ServiceMetadata, TextMatch } from './canary-service';
import { checkMapping, entriesOf, mapping, someText, texts } from './formats';
import { supportedBy, isGatewayApi } from './provider';
import type { CanaryProvider } from './provider';

const kinds = ['exact', 'prefix', 'suffix', 'regex'] as const;

/** Which comparisons a provider knows. */
type Known = readonly (typeof kinds)[number][];

const byGateway: Known = ['exact', 'regex'];

/** The Gateway API compares headers and parameters by `exact` and `regex` only. */
const knownBy = (provider: CanaryProvider): Known => (isGatewayApi(provider) ? byGateway : kinds);

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
  if (!checkMapping(problems, path, match)) {
    return;
  }
  checkTexts(problems, `${path}.headers`, match.headers, knownBy(provider));
  checkTexts(problems, `${path}.queryParams`, match.queryParams, knownBy(provider));
  const { sourceLabels } = match;
  if (sourceLabels !== undefined && provider !== 'istio') {
    problems.add(`${path}.sourceLabels`, sourceLabels, `left out: only Istio knows the caller's labels`);
  }
  const conditions = [match.headers, match.queryParams, sourceLabels].flatMap((each) =>
    Object.keys(each ?? {}),
  );
  if (conditions.length === 0) {
    problems.add(path, match, 'at least one header or parameter: without one, every request fits');
  }
}

/** Checks which requests an application takes. */
function checkRequestMatch(
  problems: Problems,
  path: string,
  match: RequestMatch,
  provider: CanaryProvider,
): void {
  if (!checkMapping(problems, path, match)) {
    return;
  }
  const gateway = isGatewayApi(provider);
  if (gateway) {
  }
  checkText(problems, `${path}.uri`, match.uri, gateway ? ['exact', 'prefix', 'regex'] : kinds);
  checkText(problems, `${path}.method`, match.method, gateway ? ['exact'] : kinds);
  checkTexts(problems, `${path}.headers`, match.headers, knownBy(provider));
  checkTexts(problems, `${path}.queryParams`, match.queryParams, knownBy(provider));
}

function checkTexts(
  problems: Problems,
  path: string,
  matches: Readonly<Record<string, TextMatch>> | undefined,
  known: Known,
): void {
  if (matches !== undefined && checkMapping(problems, path, matches)) {
    for (const [name, match] of Object.entries(matches)) {
      checkText(problems, `${path}.${name}`, match, known);
    }
  }
}

function checkText(problems: Problems, path: string, match: TextMatch | undefined, known: Known): void {
  if (match === undefined || !checkMapping(problems, path, match)) {
    return;
  }
  const given = Object.entries(match).filter(([, value]) => value !== undefined);
  const [[kind, text] = []] = given;
  if (given.length !== 1 || !known.some((each) => each === kind) || !someText.accepts(text)) {
    problems.add(path, match, `one of ${known.map((each) => `"${each}"`).join(', ')} with a text`);
  }
}

/** `NAME-primary` and `NAME-canary` are names of Services, too. */
export const serviceName: Format = {
  allowed:
    'lower-case letters, digits and "-", a letter first, a letter or digit last, at most 55 characters: "-primary" is added',
  accepts: (value) => typeof value === 'string' && /^[a-z]([-a-z0-9]{0,53}[a-z0-9])?$/.test(value),
};

/** @see https://kubernetes.io/docs/concepts/services-networking/service/#field-spec-ports */
const portName: Format = {
  allowed: 'lower-case letters, digits and "-", a letter or digit at both ends, at most 15 characters',
  accepts: (value) => dnsLabel.accepts(value) && (value as string).length <= 15,
};

const targetPort: Format = {
  allowed: 'a port, or the name of one',
  accepts: (value) => port.accepts(value) || portName.accepts(value),
};

/** @see https://gateway-api.sigs.k8s.io/geps/gep-2257/ */
const routeTimeout: Format = {
  allowed: 'a duration such as "15s" or "500ms"',
  accepts: (value) => typeof value === 'string' && /^(\d{1,5}(h|m|s|ms)){1,4}$/.test(value),
};

/** @see https://gateway-api.sigs.k8s.io/reference/spec/#hostname */
const gatewayHost: Format = {
  allowed: 'a host name such as "www.example.com" or "*.example.com"',
  accepts: (value) => typeof value === 'string' && dnsSubdomain.accepts(value.replace(/^\*\./, '')),
};

/** Checks the Services that Flagger makes, and the route to them. */
export function checkCanaryService(
  problems: Problems,
  path: string,
  service: CanaryService,
  provider: CanaryProvider,
): void {
  if (!checkMapping(problems, path, service)) {
    return;
  }
  supportedBy(problems, path, service, serviceFields, provider);
  problems.check(`${path}.port`, service.port, port);
  problems.checkGiven(path, service, {
    name: serviceName,
    portName,
    targetPort,
    portDiscovery: trueOrFalse,
    appProtocol: someText,
    trafficDistribution: oneOf('PreferClose', 'PreferSameZone', 'PreferSameNode'),
    headless: trueOrFalse,
    delegation: trueOrFalse,
    corsPolicy: mapping,
    trafficPolicy: mapping,
    retries: mapping,
    rewrite: mapping,
    headers: mapping,
  });
  checkMetadata(problems, path, service);
  checkRoute(problems, path, service, provider);
}

function checkMetadata(problems: Problems, path: string, service: CanaryService): void {
  for (const whose of ['apex', 'primary', 'canary'] as const) {
    const metadata: ServiceMetadata | undefined = service[whose];
    if (metadata !== undefined && checkMapping(problems, `${path}.${whose}`, metadata)) {
      problems.checkGiven(`${path}.${whose}`, metadata, { labels: texts, annotations: texts });
    }
  }
  const { unmanagedMetadata } = service;
  if (
    unmanagedMetadata !== undefined &&
    checkMapping(problems, `${path}.unmanagedMetadata`, unmanagedMetadata)
  ) {
    for (const kind of ['labels', 'annotations'] as const) {
      const at = `${path}.unmanagedMetadata.${kind}`;
      entriesOf(problems, at, unmanagedMetadata[kind]).forEach((key, position) =>
        problems.check(`${at}[${position}]`, key, labelKey),
      );
    }
  }
}

function checkRoute(
  problems: Problems,
  path: string,
  service: CanaryService,
  provider: CanaryProvider,
): void {
  const gateway = isGatewayApi(provider);
  const hostRule = gateway ? gatewayHost : someText;
  entriesOf(problems, `${path}.hosts`, service.hosts).forEach((host, position) =>
    problems.check(`${path}.hosts[${position}]`, host, hostRule),
  );
  entriesOf(problems, `${path}.gateways`, service.gateways).forEach((each, position) =>
    problems.check(`${path}.gateways[${position}]`, each, someText),
  );
  entriesOf(problems, `${path}.match`, service.match).forEach((match, position) =>
    checkRequestMatch(problems, `${path}.match[${position}]`, match, provider),
  );
  const refs = entriesOf(problems, `${path}.gatewayRefs`, service.gatewayRefs);
  refs.forEach((ref, position) => checkGatewayRef(problems, `${path}.gatewayRefs[${position}]`, ref));
  if (gateway && refs.length === 0) {
    problems.add(
      `${path}.gatewayRefs`,
      service.gatewayRefs,
      'a list with at least one Gateway: the route has to belong to one',
    );
  }
  entriesOf(problems, `${path}.mirror`, service.mirror).forEach((each, position) => {
    const at = `${path}.mirror[${position}].backendRef`;
    if (checkMapping(problems, at, each.backendRef)) {
      problems.check(`${at}.name`, each.backendRef.name, dnsSubdomain);
      problems.check(`${at}.port`, each.backendRef.port, port);
      problems.checkGiven(at, each.backendRef, { namespace: dnsLabel });
    }
  });
  checkTimeouts(problems, path, service);
}

function checkGatewayRef(problems: Problems, path: string, ref: GatewayRef): void {
  if (!checkMapping(problems, path, ref)) {
    return;
  }
  const rules = { namespace: dnsLabel, sectionName: dnsSubdomain, port, group: dnsSubdomain, kind: someText };
  problems.check(`${path}.name`, ref.name, dnsSubdomain);
  problems.checkGiven(path, ref, rules);
}

function checkTimeouts(problems: Problems, path: string, service: CanaryService): void {
  problems.checkGiven(path, service, { timeout: routeTimeout, backendTimeout: routeTimeout });
  const { timeout, backendTimeout } = service;
  const [whole, one] = [timeout, backendTimeout].map((each) => parseDuration(String(each)));
  // A timeout of zero is none.
  if (whole !== undefined && one !== undefined && whole > 0 && one > whole) {
    problems.add(`${path}.backendTimeout`, backendTimeout, `at most "timeout", ${timeout}`);
  }
}
