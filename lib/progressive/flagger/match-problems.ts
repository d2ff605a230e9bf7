import type { Problems } from '../../problems';
import type { CanaryMatch } from './canary-analysis';
import type { RequestMatch, TextMatch } from './canary-service';
import type { CanaryProvider } from './provider';
import { isGatewayApi } from './provider';
import { checkMapping, someText } from './rules';

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
export function checkRequestMatch(
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
