import { apiGroupOf } from '../../kubernetes/resources';
import type { ServedKind } from '../../kubernetes/survey';
import { apiLifecycle, isDeprecated, isRemoved, minorVersion } from '../api-lifecycles';
import type { ReadinessFinding, ReadinessSeverity } from '../report';
import { counted, said } from '../words';
import { liveSubject } from './subject';

/**
 * Calls of deprecated APIs, as the API server counts them: they are made by clients, which leave nothing in any object. Who
 * calls is not in its metrics. The metrics say it since the start of that API server, and of several behind one address one
 * answers.
 *
 * @see https://kubernetes.io/docs/reference/instrumentation/metrics/ `apiserver_requested_deprecated_apis`
 */
export const clientCalls = liveSubject({
  name: 'client-calls',
  title: 'calls of deprecated APIs, by the metrics of the API server',
  access: [{ apiGroups: [], resources: [], nonResourceURLs: ['/metrics'], verbs: ['get'] }],
  look: async (reader, { to }) => {
    const served = await reader.served();
    const { value: text, untried } = await reader.one('metrics', () => reader.api.metrics(reader.signal));
    const { calls, unread } = deprecatedCalls(text ?? '');
    return {
      findings: judgeCalls(calls, served.value?.kinds ?? [], to),
      looked:
        text === undefined
          ? 'nothing'
          : `${counted(calls.length, 'deprecated API')} called since the start of the API server that answered; others may be behind the same address`,
      untried: [...served.untried, ...untried, ...unread],
    };
  },
});

/** A deprecated API that was called. */
export interface DeprecatedCall {
  /** `''` is the core group. */
  readonly group: string;
  readonly version: string;
  /** `flowschemas`, `pods/eviction` */
  readonly resource: string;
  /** `1.32`; empty where no removal is planned. */
  readonly removedRelease: string;
}

const gauge = 'apiserver_requested_deprecated_apis{';

/** Series that are read: an API server has some thirty deprecated APIs, and as many as there are custom resources. */
const mostSeries = 5_000;

/** What the metrics say of calls, and what of it was not read. */
export interface CountedCalls {
  readonly calls: readonly DeprecatedCall[];
  /** A line each. */
  readonly unread: readonly string[];
}

/** Reads the gauge of deprecated APIs from metrics in Prometheus' text format. */
export function deprecatedCalls(text: string): CountedCalls {
  const calls = new Map<string, DeprecatedCall>();
  const unread: string[] = [];
  let illegible = 0;
  let start = text.startsWith(gauge) ? 0 : text.indexOf(`\n${gauge}`) + 1;
  for (let read = 0; text.startsWith(gauge, start); read += 1) {
    if (read === mostSeries) {
      unread.push(`metrics: series of deprecated APIs beyond the first ${mostSeries.toLocaleString('en')}`);
      break;
    }
    const end = text.indexOf('\n', start);
    const line = text.slice(start, end < 0 ? undefined : end);
    const [, labels = '', value] = /^\w+\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\} (\S+)/.exec(line) ?? [];
    const label = (name: string): string =>
      new RegExp(`(?:^|,)${name}="([^"\\\\]*)"`).exec(labels)?.[1] ?? '';
    const subresource = label('subresource');
    const call = {
      group: label('group'),
      version: label('version'),
      resource: `${label('resource')}${subresource === '' ? '' : `/${subresource}`}`,
      removedRelease: label('removed_release'),
    };
    // One that is not a number at all is not "never called".
    if (Number.isNaN(Number(value)) || call.version === '') {
      illegible += 1;
    } else if (Number(value) > 0) {
      calls.set(JSON.stringify(call), call);
    }
    const next = text.indexOf(`\n${gauge}`, start);
    if (next < 0) {
      break;
    }
    start = next + 1;
  }
  if (illegible > 0) {
    unread.push(`metrics: ${counted(illegible, 'line')} of deprecated APIs that can't be read`);
  }
  return { calls: [...calls.values()], unread };
}

/**
 * What the calls mean for an upgrade. Where the server has no version of the resource that is not deprecated, Kubernetes' own
 * controllers call it as well: then it is one severity lower.
 *
 * @param to `1.36`
 */
export function judgeCalls(
  calls: readonly DeprecatedCall[],
  kinds: readonly ServedKind[],
  to: string,
): readonly ReadinessFinding[] {
  return calls.map(({ group, version, resource, removedRelease }) => {
    const apiVersion = group === '' ? version : `${group}/${version}`;
    const [plain = ''] = resource.split('/');
    const same = kinds.filter((each) => each.resource === plain && apiGroupOf(each.apiVersion) === group);
    const kind = same.find((each) => each.apiVersion === apiVersion)?.kind;
    const others = same.some(
      (each) => each.apiVersion !== apiVersion && !isDeprecated(each, to) && !isRemoved(each, to),
    );
    const lifecycle =
      kind === undefined || resource.includes('/') ? undefined : apiLifecycle(apiVersion, kind);
    const removed = minorVersion(removedRelease) ?? lifecycle?.removed;
    const gone = removed !== undefined && removed <= (minorVersion(to) ?? 0);
    return {
      id: 'API05',
      severity: severityOf(gone, removed !== undefined, others),
      message: `clients call ${said(resource)} of ${said(apiVersion)}, which ${removed === undefined ? 'is deprecated' : `Kubernetes 1.${removed} does not serve any more`}`,
      why: gone
        ? 'calls of it fail in a cluster of that version; those counted were made since the API server started'
        : 'a later version does not serve it; the calls counted were made since the API server started',
      fix: `${lifecycle?.replacement === undefined ? 'update the clients' : `update the clients to ${lifecycle.replacement.apiVersion}`}: events of the audit log with the annotation k8s.io/deprecated "true" name them by their userAgent`,
    };
  });
}

function severityOf(gone: boolean, planned: boolean, others: boolean): ReadinessSeverity {
  if (gone) {
    return others ? 'error' : 'warning';
  }
  return planned && others ? 'warning' : 'info';
}
